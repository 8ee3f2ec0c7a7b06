package scheduler_test

import (
	"fmt"

	"lockstep/model"
	"lockstep/protocol"
)

// The verbs of what processes wait for other than time. A node has one mutex and one
// channel for signals, a store one channel for messages, a process at most one watch.
const (
	vPush         verb = "Push"
	vPop          verb = "Pop"
	vBlockingPop  verb = "BlockingPop"
	vWatch        verb = "Watch"
	vWatchWrites  verb = "WatchWrites"
	vSubscribe    verb = "Subscribe"
	vPublish      verb = "Publish"
	vClose        verb = "Watch.Close"
	vNotice       verb = "Watch.Wait"
	vNoticeWithin verb = "Watch.WaitWithin"
	vLock         verb = "Lock"
	vLockWithin   verb = "LockWithin"
	vUnlock       verb = "Unlock"
	vSend         verb = "Send"
	vReceive      verb = "Receive"
)

// keepsWatch is what a Checkpoint keeps besides variables.
const keepsWatch = 1 << variables

// waitText is String for these verbs.
func (in instruction) waitText() (string, bool) {
	store := map[bool]string{false: "store", true: "cache"}[tinyKeys[in.key].cache]
	switch in.verb {
	case vPush, vPop:
		return fmt.Sprintf("%s %s/%s", in.verb, store, tinyKeys[in.key].name), true
	case vReplicas:
		return fmt.Sprintf("%s %s %d for %d", in.verb, store, in.n, in.ttl), true
	case vBlockingPop:
		return fmt.Sprintf("%s %s/%s %d", in.verb, store, tinyKeys[in.key].name, in.ttl), true
	case vWatch, vWatchWrites:
		text := string(in.verb)
		for k, key := range tinyKeys {
			if in.watched()&(1<<k) != 0 {
				text += " " + store + "/" + key.name
			}
		}
		return text, true
	case vSubscribe, vPublish:
		return fmt.Sprintf("%s %s/%s", in.verb, store, tinyChannel), true
	case vNoticeWithin, vLockWithin, vReceive:
		return fmt.Sprintf("%s %d", in.verb, in.ttl), true
	}
	return "", false
}

const (
	tinyChannel = "news"
	tinyMutex   = "mutex"
	tinySignals = "signals"
)

// tinyWaits are the locals of a program that the engine runs, as far as they are about
// waits.
type tinyWaits struct {
	watch         *protocol.Watch
	closed, holds bool
	// ofCache: the watch is of the cache; local: it is of the memory of the node.
	ofCache, local bool
}

// idle reports whether the instruction is no operation.
func (l *tinyWaits) idle(in instruction) bool {
	switch in.verb {
	case vWatch, vWatchWrites, vSubscribe:
		return l.watch != nil && !l.closed
	case vWatchLocal:
		return l.watch != nil && !l.closed
	case vNotice, vNoticeWithin:
		return l.watch == nil
	case vClose, vCloseLocal:
		return l.watch == nil || l.local != (in.verb == vCloseLocal)
	case vUnlock:
		return !l.holds
	}
	return false
}

// do does what the instruction says and returns what the program sees of it; false if
// it is none of these verbs.
func (l *tinyWaits) do(c *protocol.Client, store *protocol.Store, in instruction) (model.Code, bool) {
	key := tinyKeys[in.key].name
	waited := func(ok bool, err error) model.Code {
		return errorCode(err, pick(err == nil, pick(ok, model.Done, model.Elapsed), model.Stopped))
	}
	switch in.verb {
	case vPush:
		return errorCode(store.Push(key), model.Done), true
	case vPop:
		ok, err := store.Pop(key)
		return errorCode(err, pick(ok, model.Done, model.Missing)), true
	case vBlockingPop:
		return waited(store.BlockingPop(key, in.ticks(in.ttl))), true
	case vReplicas:
		return waited(store.WaitReplicas(in.n, in.ticks(in.ttl))), true
	case vWatch, vWatchWrites, vSubscribe:
		return l.begin(store, in), true
	case vPublish:
		ok, err := store.Publish(tinyChannel)
		return errorCode(err, pick(ok, model.Done, model.Missing)), true
	case vWatchLocal:
		l.watch, l.closed, l.ofCache, l.local = c.Memory.Watch(tinyVariable), false, false, true
		return model.Done, true
	case vClose, vCloseLocal:
		err := l.watch.Close()
		l.closed = l.closed || err == nil
		return errorCode(err, model.Done), true
	case vNotice:
		return waited(true, l.watch.Wait()), true
	case vNoticeWithin:
		return waited(l.watch.WaitWithin(in.ticks(in.ttl))), true
	case vLock:
		c.Memory.Lock(tinyMutex)
		l.holds = true
		return model.Done, true
	case vLockWithin:
		ok := c.Memory.LockWithin(tinyMutex, in.ticks(in.ttl))
		l.holds = l.holds || ok
		return pick(ok, model.Done, model.Elapsed), true
	case vUnlock:
		c.Memory.Unlock(tinyMutex)
		l.holds = false
		return model.Done, true
	case vSend:
		c.Memory.Send(tinySignals)
		return model.Done, true
	case vReceive:
		if in.ttl > 0 {
			return waited(c.Memory.ReceiveWithin(tinySignals, in.ticks(in.ttl))), true
		}
		return waited(true, c.Memory.Receive(tinySignals)), true
	}
	return 0, false
}

func (l *tinyWaits) begin(store *protocol.Store, in instruction) model.Code {
	var keys []string
	for k, key := range tinyKeys {
		if in.watched()&(1<<k) != 0 {
			keys = append(keys, key.name)
		}
	}
	var watch *protocol.Watch
	var err error
	switch in.verb {
	case vWatch:
		watch, err = store.Watch(keys...)
	case vWatchWrites:
		watch, err = store.WatchWrites(keys...)
	case vSubscribe:
		watch, err = store.Subscribe(tinyChannel)
	}
	if err == nil {
		l.watch, l.closed, l.ofCache, l.local = watch, false, tinyKeys[in.key].cache, false
	}
	return errorCode(err, model.Done)
}
