package scheduler_test

import (
	"slices"

	"pgregory.net/rapid"

	"lockstep/model"
	"lockstep/protocol"
)

// Entries of the oracle that are bound to a session, which is an entry with a TTL itself.
// A process opens, renews and closes that with the operations that there are for locks.

// keySession is the key of the session.
const keySession = keyOther

// bond binds an entry to the session. When that is gone the entry is dying, since age, and
// removed within the time.
type bond struct {
	bound       bool
	within, age int
	dying       bool
}

// over reports whether the entry is gone by now, and whether it can be.
func (b bond) over() (certain, perhaps bool) {
	return b.dying && b.age > b.within, b.dying && b.age >= b.within
}

func (b *bond) pass() {
	if b.dying {
		b.age = min(b.age+1, b.within+1)
	}
}

// endSessions lets the entries die whose session is gone.
func (w *world) endSessions() {
	if w.entries[keySession].value.Kind != model.KindNone {
		return
	}
	for k := range w.entries {
		if b := &w.entries[k].bond; b.bound {
			b.dying = true
		}
	}
}

// removals adds how the store removes what is dying.
func (w *world) removals(add adder) {
	for k, e := range w.entries {
		if e.dying {
			add(1, false, func(n *world, _ *successor) {
				n.put(k, entry{})
				n.tell(1<<k, true)
			})
		}
	}
}

// mustRemove reports whether some entry has to be removed before time passes.
func (w *world) mustRemove() bool {
	return slices.ContainsFunc(w.entries[:], func(e entry) bool { return e.dying && e.bond.age >= e.within })
}

// sessionless reports whether an instruction binds an entry to a session that is not there.
func (w *world) sessionless(in instruction) bool {
	return in.session && w.entries[keySession].value.Kind == model.KindNone
}

// rebind returns the bond of an entry after an instruction that was done, or not.
func (in instruction) rebind(before bond, op model.Operation, code model.Code, there bool) bond {
	changed := code == model.Done && (op.Kind == model.Set || op.Kind == model.PExpire || op.Kind == model.ExpireIfEqual)
	switch {
	case in.session && code == model.Done:
		return bond{bound: true, within: in.ttl}
	case changed || !there:
		return bond{}
	}
	return before
}

// ephemeral is the option of a Set that the engine runs.
func (in instruction) ephemeral() protocol.SetOption {
	return protocol.Ephemeral(tinyKeys[keySession].name, ticks(in.ttl))
}

// sessionPrograms draws a lock that lives as long as a session.
func sessionPrograms(t *rapid.T) programs {
	ttl := oneOf(t, 0, 1, 1, 2, 2, 3)
	a, b := span(t, 0, 3)
	p := program{
		{verb: vToken, v: 0},
		{verb: vSetNX, key: keySession, v: 0, ttl: ttl},
		{verb: vIf, code: model.Refused, to: 12},
		{verb: oneOf(t, vSetNX, vSetNX, vSetNX, vSet), key: keyLock, v: 0, ttl: oneOf(t, 0, 1, 1, 2), session: true},
		{verb: vIf, code: model.Refused, to: 12},
		{verb: vIf, code: model.Failed, to: 12},
		{verb: vAcquired, key: keyLock},
		{verb: vCompute, min: a, max: b},
		{verb: vExpireEq, key: keySession, v: 0, ttl: ttl},
		{verb: vReleasing, key: keyLock},
		{verb: oneOf(t, vDelEq, vDelEq, vDel), key: oneOf(t, keyLock, keySession), v: 0},
		{verb: vReturn},
	}
	if chance(t, 50) {
		// The session is another's, or an older one.
		p[2] = instruction{verb: vGet, key: keySession, v: 2}
	}
	if chance(t, 30) {
		p = p.with(oneOf(t, 7, 8), instruction{verb: vGo, n: firstChild})
	}
	for chance(t, 35) {
		p = p.with(between(t, 3, len(p)-1), oneOf(t,
			instruction{verb: vPTTL, key: keyLock, ttl: 1}, instruction{verb: vSet, key: keyLock, v: 0, keepTTL: true}, instruction{verb: vDel, key: keySession},
			instruction{verb: vPExpire, key: keyLock, ttl: between(t, 0, 2)}, instruction{verb: vSetXX, key: keyLock, v: 0, ttl: 1, session: true},
			instruction{verb: oneOf(t, vWatch, vWatchWrites), key: keyLock}, instruction{verb: vNoticeWithin, ttl: 2}, instruction{verb: vGet, key: keyLock, v: 2}))
	}
	return programs{p, nil, heartbeatProgram(t, max(1, ttl)).of(keySession)}
}

// of lets a heartbeat renew another key.
func (p program) of(key int) program {
	for i := range p {
		if p[i].verb == vExpireEq || p[i].verb == vPExpire {
			p[i].key = key
		}
	}
	return p
}

func drawSessions(t *rapid.T, s *setting) {
	s.programs = sessionPrograms(t)
	s.programs[updateProgram] = oneOf(t, program{{verb: vDel, key: keySession}}, program{{verb: vUpdate, v: 1}}, program{{verb: vSleep, max: 2}, {verb: vGet, key: keyLock, v: 1}})
	s.small(t)
}

// sessionOutcomes are cases of it.
func sessionOutcomes() map[string]outcome {
	token, open, get := instruction{verb: vToken}, instruction{verb: vSetNX, key: keySession, ttl: 2}, instruction{verb: vGet, v: 1}
	bind := func(within int) instruction { return instruction{verb: vSetNX, ttl: within, session: true} }
	sleep := func(n int) instruction { return instruction{verb: vSleep, min: n, max: n} }
	closed := instruction{verb: vDelEq, key: keySession}
	return map[string]outcome{
		"an entry lives as long as its session":             {false, 0, alone(seeing(model.Missing, token, open, bind(1), sleep(1), get), nil)},
		"and may outlive it":                                {true, 0, alone(seeing(model.Found, token, open, bind(1), sleep(3), get), nil)},
		"or not":                                            {true, 0, alone(seeing(model.Missing, token, open, bind(1), sleep(2), get), nil)},
		"but only for some time":                            {false, 0, alone(seeing(model.Found, token, open, bind(1), sleep(4), get), nil)},
		"a renewed session lives on":                        {false, 0, alone(seeing(model.Missing, token, open, bind(1), sleep(1), instruction{verb: vExpireEq, key: keySession, ttl: 2}, sleep(1), get), nil)},
		"one that is closed takes its entries with it":      {false, 0, alone(seeing(model.Found, token, open, bind(1), closed, sleep(2), get), nil)},
		"so does one that is evicted":                       {true, 1, struck(evict, seeing(model.Missing, token, open, bind(0), get), nil)},
		"without a session nothing is stored":               {false, 0, alone(seeing(model.Done, token, bind(1)), nil)},
		"a plain write unbinds an entry":                    {false, 0, alone(seeing(model.Missing, token, open, bind(0), instruction{verb: vSet}, sleep(9), get), nil)},
		"also one that keeps the TTL, of which it has none": {false, 0, alone(seeing(model.Missing, token, open, bind(1), instruction{verb: vSet, keepTTL: true}, sleep(9), get), nil)},
		"a bound entry has no TTL":                          {true, 0, alone(seeing(model.NoTTL, token, open, bind(1), instruction{verb: vPTTL, ttl: 1}), nil)},
		"nor has what was written over it":                  {true, 0, alone(seeing(model.NoTTL, token, open, bind(1), instruction{verb: vSet, keepTTL: true}, instruction{verb: vPTTL, ttl: 1}), nil)},
	}
}
