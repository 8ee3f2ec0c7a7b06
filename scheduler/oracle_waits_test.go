package scheduler_test

import "lockstep/model"

// What processes wait for other than time: an element of a list, a change of what they
// watch, a mutex of their node. The rules are written down from what the operations are
// said to do.

// keyList is the key of the lists of the store; nothing else is ever under it.
const keyList = 3

// watching is what a process sees of keys and channels: nothing if there are none.
type watching struct {
	keys    int  // a bit for each, and after those one for the channel of each store
	writes  bool // an expiry is no change
	changed bool
	// local: it sees the variable of the node instead.
	local bool
}

// channel is the bit of the channel of a store.
func channel(cache bool) int {
	if cache {
		return 1 << (len(tinyKeys) + 1)
	}
	return 1 << len(tinyKeys)
}

// watches reports whether the instruction makes a watch.
func (in instruction) watches() bool {
	return in.verb == vWatch || in.verb == vWatchWrites || in.verb == vSubscribe || in.verb == vWatchLocal
}

// watched returns what the instruction watches: keys of one store, or its channel.
func (in instruction) watched() int {
	cache := tinyKeys[in.key].cache
	if in.verb == vSubscribe {
		return channel(cache)
	}
	keys := 1 << in.key
	for k, key := range tinyKeys {
		if key.cache == cache {
			keys |= in.n & (1 << k)
		}
	}
	return keys
}

// ofCache reports whether what is watched is in the cache.
func (s watching) ofCache() bool {
	all := channel(true)
	for k, key := range tinyKeys {
		if key.cache {
			all |= 1 << k
		}
	}
	return s.keys&all != 0
}

// tell lets everyone who watches one of the keys see a change.
func (w *world) tell(keys int, expired bool) {
	for i := range w.processes {
		if s := &w.processes[i].watch; s.keys&keys != 0 && !(expired && s.writes) {
			s.changed = true
		}
	}
}

// alter puts something under a key and tells those who watch it.
func (w *world) alter(k int, e entry) {
	w.put(k, e)
	w.tell(1<<k, false)
}

// notices reports whether the process can tell that there has been a change.
func (w *world) notices(p *process) bool {
	return p.watch.changed && (p.watch.local || !w.cut(p.node, p.watch.ofCache()))
}

// publish lets all see a message who watch the channel and can be reached, unless it is
// lost, and returns what the publisher sees.
func (w *world) publish(in instruction, lost bool) seen {
	cache := tinyKeys[in.key].cache
	reached := seen{code: model.Missing}
	for i := range w.processes {
		p := &w.processes[i]
		if p.watch.keys&channel(cache) == 0 || w.cut(p.node, cache) {
			continue
		}
		reached.code = model.Done
		p.watch.changed = p.watch.changed || !lost
	}
	return reached
}

// loseMessage adds the fault by which a message reaches nobody.
func (w *world) loseMessage(i int, in instruction, add func(weight int, fault bool, change func(n *world, s *successor))) {
	if in.verb != vPublish || w.left[lostMessage] == 0 {
		return
	}
	add(1, true, func(n *world, _ *successor) {
		n.left[lostMessage]--
		n.deliver(i, in, n.publish(in, true))
	})
}

// patient reports whether the instruction waits for something other than time, without
// being parked.
func (in instruction) patient() bool {
	switch in.verb {
	case vNotice, vNoticeWithin, vLock, vLockWithin:
		return true
	}
	return false
}

// limited reports whether it waits for its ticks at most.
func (in instruction) limited() bool { return in.verb == vNoticeWithin || in.verb == vLockWithin }

// stoppable reports whether it ends when its process is told to stop.
func (in instruction) stoppable() bool {
	return in.verb == vSleep || in.verb == vNotice || in.verb == vNoticeWithin
}

// met reports whether what a patient instruction waits for is there.
func (w *world) met(p *process, in instruction) bool {
	if in.verb == vLock || in.verb == vLockWithin {
		return !w.nodes[p.node].locked
	}
	return w.notices(p)
}

// neverTicks is more than any process waits.
const neverTicks = 100

// patience is bounds for a patient instruction.
func (w *world) patience(p *process, in instruction) (least, most int, forever bool) {
	least = neverTicks
	if in.limited() {
		least = in.ttl
	}
	switch {
	case w.met(p, in):
		return 0, 0, false
	case in.stoppable() && p.stopped:
		return least, 0, false
	}
	return least, least, !in.limited()
}

// ends returns how a patient instruction may end now.
func (w *world) ends(p *process, in instruction) []model.Code {
	var codes []model.Code
	met := w.met(p, in)
	if met {
		codes = append(codes, model.Done)
	}
	if in.limited() && p.age >= in.ttl && !(met && in.ttl == 0) {
		codes = append(codes, model.Elapsed)
	}
	return codes
}

// take takes an element from where the instruction finds it, if there is one.
func (w *world) take(node int, in instruction) model.Code {
	switch {
	case w.elements(node, in) == 0:
		return model.Missing
	case in.verb == vReceive:
		w.nodes[node].signals--
	default:
		e := w.entries[in.key]
		if e.value.N--; e.value.N == 0 {
			e = entry{}
		}
		w.alter(in.key, e)
	}
	return model.Done
}

func (w *world) elements(node int, in instruction) int {
	if in.verb == vReceive {
		return w.nodes[node].signals
	}
	return int(w.entries[in.key].value.N)
}

// push adds an element to a list.
func (w *world) push(k int) {
	e := w.entries[k]
	e.value = model.Datum{Kind: model.KindList, N: e.value.N + 1}
	w.alter(k, e)
}

// waitsFor returns what a process that is parked is parked for.
func (w *world) waitsFor(p *process) instruction { return w.set.programs[p.program][p.pc] }

// sameQueue reports whether both are parked, at the same list.
func (w *world) sameQueue(p, q *process) bool {
	if p.phase != parked || q.phase != parked {
		return false
	}
	a, b := w.waitsFor(p), w.waitsFor(q)
	if a.writes() && b.writes() {
		return true
	}
	if a.verb != b.verb {
		return false
	}
	return a.verb == vReceive && p.node == q.node || a.verb == vBlockingPop && a.key == b.key
}

// park lets a process wait at the end of a queue.
func (w *world) park(i int) {
	p := &w.processes[i]
	last := 0
	for k := range w.processes {
		last = max(last, w.processes[k].place)
	}
	p.phase, p.age, p.place, p.new = parked, 0, last+1, false
	p.stoppedAtIssue, p.cancelledAtIssue = false, false
	p.overdue, p.late = false, false
}

// serve gives the elements that there are to those who are parked, as long as there are
// both.
func (w *world) serve() {
	for {
		var next *process
		for i := range w.processes {
			p := &w.processes[i]
			if in := w.waitsForAny(p); (in.verb == vBlockingPop || in.verb == vReceive) && w.elements(p.node, w.waitsFor(p)) > 0 && (next == nil || p.place < next.place) {
				next = p
			}
		}
		if next == nil {
			return
		}
		w.take(next.node, w.waitsFor(next))
		next.phase, next.age, next.place, next.seen = replying, 0, 0, seen{code: model.Done}
	}
}

// lineUp numbers those in a queue by their order.
func (w *world) lineUp() {
	places := make([]int, len(w.processes))
	for i := range w.processes {
		p := &w.processes[i]
		if p.phase != parked {
			continue
		}
		places[i] = 1
		for k := range w.processes {
			if q := &w.processes[k]; w.sameQueue(p, q) && q.place < p.place {
				places[i]++
			}
		}
	}
	for i := range w.processes {
		w.processes[i].place = places[i]
	}
}

// leaves adds how a process that is parked may leave without an element.
func (w *world) leaves(i int, add func(weight int, fault bool, change func(n *world, s *successor))) {
	p := &w.processes[i]
	in := w.waitsFor(p)
	leave := func(code model.Code) {
		add(1, false, func(n *world, _ *successor) {
			n.processes[i].place = 0
			n.deliver(i, in, seen{code: code})
		})
	}
	cancelled := p.calledOff(in) && p.cancellable(in)
	if cancelled {
		leave(model.Cancelled)
	}
	broken := w.broken(p, in)
	if broken && !cancelled {
		leave(model.Failed)
	}
	if p.stopped {
		leave(model.Stopped)
	}
	if !cancelled && !broken && in.ttl > 0 && p.age >= in.ttl {
		leave(model.Elapsed)
	}
}

// broken reports whether a process that is parked at a store has lost its connection.
func (w *world) broken(p *process, in instruction) bool {
	return w.blackout.refuses && in.onStore() && w.cut(p.node, tinyKeys[in.key].cache)
}

// parkedFor is bounds for a process that is parked.
func (w *world) parkedFor(p *process) (least, most int, forever bool) {
	in := w.waitsFor(p)
	if p.calledOff(in) && p.cancellable(in) || p.stopped || w.broken(p, in) {
		return 0, 0, false
	}
	return in.ttl, in.ttl, in.ttl == 0
}

// onWaits is what an operation of this file does to the world, apart from what only a
// process that learns of it gets: a place in a queue, or a watch.
func (w *world) onWaits(p *process, in instruction, answer model.Code) seen {
	h := &w.nodes[p.node]
	switch in.verb {
	case vPush:
		w.push(in.key)
	case vPop, vBlockingPop, vReceive:
		return seen{code: w.take(p.node, in)}
	case vReplicas:
		return seen{code: pick(w.replicated(in), model.Done, model.Parked)}
	case vSend:
		h.signals++
	case vPublish:
		return w.publish(in, false)
	case vClose, vCloseLocal:
		p.watch = watching{}
	case vNotice, vNoticeWithin:
		if answer == model.Done {
			p.watch.changed = false
		}
		return seen{code: answer}
	case vLock, vLockWithin:
		if answer == model.Done {
			h.locked = true
		}
		return seen{code: answer}
	case vUnlock:
		h.locked = false
	}
	return seen{code: model.Done}
}

// begins does the rest; it reports whether the process is parked now.
func (w *world) begins(i int, in instruction, o seen) bool {
	if o.code == model.Parked {
		w.park(i)
		return true
	}
	switch in.verb {
	case vBlockingPop, vReceive:
		if o.code == model.Missing {
			w.park(i)
			return true
		}
	case vWatch, vWatchWrites, vSubscribe:
		w.processes[i].watch = watching{keys: in.watched(), writes: in.verb == vWatchWrites}
	case vWatchLocal:
		w.processes[i].watch = watching{local: true}
	}
	return false
}

// changes reports whether the instruction, if it is done, counts as a change of its key.
func (in instruction) changes() bool {
	switch in.verb {
	case vSet, vSetXX, vSetNX, vSetAt, vSetNow, vDel, vPExpire, vDelEq, vExpireEq:
		return true
	}
	return false
}

// learns is what the code of a process knows once it has observed what became of an
// operation of this file.
func (p *process) learns(in instruction, code model.Code) {
	if code != model.Done {
		return
	}
	switch in.verb {
	case vWatch, vWatchWrites, vSubscribe:
		p.hasWatch, p.closed, p.cacheWatched, p.localWatched = true, false, tinyKeys[in.key].cache, false
	case vWatchLocal:
		p.hasWatch, p.closed, p.cacheWatched, p.localWatched = true, false, false, true
	case vClose, vCloseLocal:
		p.closed = true
	case vLock, vLockWithin:
		p.holds = true
	case vUnlock:
		p.holds = false
	}
}
