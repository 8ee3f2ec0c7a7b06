package scheduler_test

import (
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// tiny is a protocol.Protocol that interprets programs.
type tiny struct {
	// Tick makes the tick known to the engine before any code has run.
	Tick     time.Duration `help:"the tick"`
	programs programs
	handle   int
	// independent: its stores are.
	independent bool
}

// Handle is one request.
func (p tiny) Handle(c *protocol.Client) protocol.Answer {
	if r, again := p.run(c, p.handle, tinyLocals{}); again {
		return protocol.Again()
	} else if r.N == 0 {
		return protocol.Stale()
	}
	return protocol.Failed()
}

// Update is one update of the source.
func (p tiny) Update(c *protocol.Client) { p.run(c, updateProgram, tinyLocals{}) }

// tinyResult is what a spawned program returns.
type tinyResult struct {
	N int
	V protocol.Value
}

// tinyLocals are the locals of a program that the engine runs.
type tinyLocals struct {
	v        [variables]protocol.Value
	last     model.Code
	number   int
	count    [counters]int
	task     [taskSlots]*protocol.Task[tinyResult]
	deadline *protocol.Deadline
	// sub is the client in the context that was opened, which cancel ends.
	sub    *protocol.Client
	cancel func()
	tinyWaits
	tinyTimes
	tinyTransaction
}

func pick(ok bool, yes, no model.Code) model.Code {
	if ok {
		return yes
	}
	return no
}

func ownerCode(owner protocol.Ownership) model.Code {
	return [...]model.Code{protocol.Mine: model.Done, protocol.NotMine: model.NotMine, protocol.Gone: model.Missing, protocol.Unknown: 0}[owner]
}

func (p tiny) run(c *protocol.Client, number int, l tinyLocals) (result tinyResult, again bool) {
	code := p.programs[number]
	for pc := 0; pc < len(code); {
		in := code[pc]
		pc++
		by := l.client(c, in)
		store, key := p.store(by, in.key), tinyKeys[in.key].name
		// What has no argument does not happen.
		if l.idle(in) || l.mute(in) || l.lacks(in) {
			continue
		}
		operation := false
		without(by, in.detached, func() {
			within(by, in.within, func() { operation = l.operate(by, store, in) })
		})
		if operation {
			continue
		}
		switch in.verb {
		case vToken:
			l.v[in.v] = c.NewToken()
		case vAcquired:
			c.Acquired(key)
		case vReleasing:
			c.Releasing(key)
		case vGo:
			inherited := tinyLocals{v: l.v}
			without(by, in.detached, func() {
				within(by, in.within, func() {
					l.task[in.slot] = protocol.Go(by, func(c *protocol.Client) tinyResult {
						r, _ := p.run(c, in.n, inherited)
						return r
					})
				})
			})
		case vWithCancel:
			if l.sub == nil {
				l.sub, l.cancel = by.WithCancel()
			}
		case vCheckpoint:
			kept := tinyLocals{last: l.last, number: l.number, count: l.count, deadline: l.deadline}
			for k := range l.v {
				if in.n&(1<<k) != 0 {
					kept.v[k] = l.v[k]
				}
			}
			kept.task, kept.holds, kept.knows, kept.sub, kept.cancel = l.task, l.holds, l.knows, l.sub, l.cancel
			if in.n&keepsWatch != 0 {
				kept.watch, kept.closed, kept.ofCache, kept.local = l.watch, l.closed, l.ofCache, l.local
			}
			l = kept
			c.Checkpoint(pc, l.v, int(l.last), l.number, l.count, l.task[0], l.task[1], l.deadline, l.watch, l.closed, l.ofCache, l.local, l.holds, l.knows, l.sub)
		case vIf:
			if l.last == in.code {
				pc = in.to
			}
		case vIfEqual:
			if l.v[in.v] == l.v[in.w] {
				pc = in.to
			}
		case vIfNumber:
			if l.number == in.n {
				pc = in.to
			}
		case vUnlessInv:
			if !c.Invalidates() {
				pc = in.to
			}
		case vRetry:
			if l.count[in.slot] < in.n {
				l.count[in.slot]++
				pc = in.to
			}
		case vGoto:
			pc = in.to
		case vAgain:
			return tinyResult{}, true
		case vReturn:
			return tinyResult{in.n, l.v[in.v]}, false
		}
	}
	return tinyResult{}, false
}

// lacks reports whether the program has no argument for the instruction.
func (l *tinyLocals) lacks(in instruction) bool {
	var none protocol.Value
	switch in.verb {
	case vSet, vSetXX, vSetNX, vSetAt, vDelEq, vExpireEq, vUpdateIf, vRemember, vRememberNX, vForgetEq, vSetNow, vTake, vTakeAt:
		return l.v[in.v] == none
	case vExec:
		return l.v[in.v] == none || in.unable(l.watch != nil && !l.local, l.ofCache)
	case vCommit, vRollback:
		return !l.knows
	case vStop, vWait:
		return l.task[in.slot] == nil
	case vPassed, vReset:
		return l.deadline == nil
	case vWithTimeout:
		return l.sub != nil
	case vCancel:
		return l.sub == nil
	}
	return false
}

// operate does what the instruction says if it is an operation; false if it is none.
func (l *tinyLocals) operate(c *protocol.Client, store *protocol.Store, in instruction) bool {
	key := tinyKeys[in.key].name
	if code, ok := l.at(c, store, key, &l.v[in.v], in); ok {
		l.last = code
		return true
	}
	if code, ok := l.dated(store, key, l.v[in.v], in); ok {
		l.last = code
		return true
	}
	if code, ok := l.do(c, store, in); ok {
		l.last = code
		return true
	}
	if code, ok := l.change(c, &l.v[in.v], in); ok {
		l.last = code
		return true
	}
	if code, ok := l.context(c, in); ok {
		l.last = code
		return true
	}
	if in.recalls() {
		l.recall(c, in)
		return true
	}
	if in.verb == vExec {
		l.last = l.exec(l.v[in.v], in)
		return true
	}
	var options []protocol.SetOption
	switch {
	case in.session:
		options = append(options, in.ephemeral())
	case in.keepTTL:
		options = append(options, protocol.KeepTTL())
	case in.valueTTL:
		options = append(options, c.ValueTTL())
	case in.ttl > 0:
		options = append(options, protocol.PX(in.ticks(in.ttl)))
	}
	switch in.verb {
	case vGet:
		v, ok, err := store.Get(key)
		l.v[in.v], l.last = v, errorCode(err, pick(ok, model.Found, model.Missing))
	case vSet:
		l.last = errorCode(store.Set(key, l.v[in.v], options...), model.Done)
	case vSetXX:
		ok, err := store.SetXX(key, l.v[in.v], options...)
		l.last = errorCode(err, pick(ok, model.Done, model.Refused))
	case vSetNX:
		ok, err := store.SetNX(key, l.v[in.v], in.ticks(in.ttl), options...)
		l.last = errorCode(err, pick(ok, model.Done, model.Refused))
	case vDel:
		ok, err := store.Del(key)
		l.last = errorCode(err, pick(ok, model.Done, model.Missing))
	case vPExpire:
		ok, err := store.PExpire(key, in.ticks(in.ttl))
		l.last = errorCode(err, pick(ok, model.Done, model.Missing))
	case vPTTL:
		left, err := store.PTTL(key, in.ticks(in.ttl))
		l.last = [...]model.Code{protocol.Absent: model.Missing, protocol.NoTTL: model.NoTTL, protocol.Below: model.Below, protocol.NotBelow: model.NotBelow}[left]
		l.last = errorCode(err, l.last)
	case vDelEq, vExpireEq:
		var owner protocol.Ownership
		var err error
		if in.verb == vDelEq {
			owner, err = store.DelIfEqual(key, l.v[in.v])
		} else {
			owner, err = store.ExpireIfEqual(key, l.v[in.v], in.ticks(in.ttl))
		}
		l.last = errorCode(err, ownerCode(owner))
	case vRead:
		var err error
		l.v[in.v], err = c.Source.Read()
		l.last = errorCode(err, model.Found)
	case vCompute:
		l.last = errorCode(c.Compute(protocol.Range{Min: ticks(in.min), Max: ticks(in.max)}), model.Done)
	case vSleep:
		err := c.SleepBetween(in.ticks(in.min), in.ticks(in.max))
		l.last = errorCode(err, pick(err == nil, model.Done, model.Stopped))
	case vStop:
		l.task[in.slot].Stop()
		l.last = model.Done
	case vWait:
		r := l.task[in.slot].Wait()
		l.last, l.number, l.v[in.v] = model.Result, r.N, r.V
	case vDeadline:
		l.deadline = c.Deadline(in.ticks(in.ttl))
		l.last = model.Done
	case vPassed:
		l.last = pick(l.deadline.Passed(), model.Passed, model.NotPassed)
	case vReset:
		l.deadline.Reset()
		l.last = model.Done
	default:
		return false
	}
	return true
}
