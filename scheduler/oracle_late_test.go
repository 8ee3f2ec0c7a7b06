package scheduler_test

import (
	"lockstep/model"
)

// Requests of the oracle that take effect without their process, or more than once, clocks
// of stores that go wrong, and replicas that serve reads.

// adder adds a successor.
type adder = func(weight int, fault bool, change func(n *world, s *successor))

// requests reports whether the instruction asks for a change of a store or of the source.
func (in instruction) requests() bool {
	switch in.verb {
	case vSet, vSetXX, vSetNX, vDel, vPExpire, vDelEq, vExpireEq, vUpdate, vPush, vPop, vPublish, vSetAt, vSetNow, vTake, vTakeAt, vSweep, vAges:
		return true
	}
	return false
}

// request is what is left of a process whose operation is under way without it.
func request(in instruction, program, pc int, value model.Datum) process {
	q := process{program: program, pc: pc, phase: sent}
	switch in.verb {
	case vSet, vSetXX, vSetNX, vSetAt, vSetNow, vTake, vTakeAt, vDelEq, vExpireEq:
		q.v[in.v] = value
	}
	return q
}

// send lets the operation of a process be under way without it.
func (w *world) send(i int, in instruction, byFault bool) {
	p := &w.processes[i]
	q := request(in, p.program, p.pc, p.v[in.v])
	q.node, q.request, q.byFault = p.node, p.request, byFault
	if in.verb == vSetAt || in.verb == vTakeAt {
		q.own = p.own
	}
	if !byFault {
		q.age = p.age
	}
	for k := range w.processes {
		if r := &w.processes[k]; r.family() == p.family() {
			q.order = max(q.order, r.order+1)
		}
	}
	w.processes = append(w.processes, q)
}

// arrival lets a request take effect.
func (w *world) arrival(i int, add adder) {
	p := &w.processes[i]
	if least, _, _ := w.bounds(p); p.age < least || w.cutOff(p) {
		return
	}
	if w.refused(p) {
		add(1, false, func(n *world, _ *successor) { n.processes[i].phase = ended })
		return
	}
	in := w.waitsFor(p)
	for _, code := range w.ways(in) {
		add(1, false, func(n *world, s *successor) {
			n.act(i, in, code, s)
			n.processes[i].phase = ended
		})
	}
}

// lateFailures adds what can strike a request that could take effect now.
func (w *world) lateFailures(i int, in instruction, add adder) {
	strike := func(t trouble, change func(n *world, s *successor)) {
		if w.left[t] > 0 {
			add(1, true, func(n *world, s *successor) {
				n.left[t]--
				change(n, s)
			})
		}
	}
	strike(delay, func(n *world, _ *successor) {
		n.send(i, in, true)
		n.deliver(i, in, seen{code: model.TimedOut})
	})
	for _, code := range w.ways(in) {
		strike(duplicate, func(n *world, s *successor) {
			n.send(i, in, true)
			n.effect(i, in, code, s)
		})
		strike(resend, func(n *world, s *successor) {
			n.act(i, in, code, s)
			p := &n.processes[i]
			p.age, p.new, p.overdue, p.late = 0, false, false, false
		})
	}
}

// store numbers the stores.
func store(cache bool) int {
	if cache {
		return 1
	}
	return 0
}

// clockTroubles adds what can become of the clocks of stores.
func (w *world) clockTroubles(begin func(t trouble, change func(n *world))) {
	for _, cache := range []bool{false, true} {
		timed := false
		for k, e := range w.entries {
			timed = timed || tinyKeys[k].cache == cache && e.ttl > 0 && !w.frozen[store(cache)]
		}
		if !timed {
			continue
		}
		w.ahead(cache, 0, w.entries, func(now [len(tinyKeys)]entry) {
			begin(storeForward, func(n *world) {
				for k, e := range now {
					if over := n.entries[k] != e && e == (entry{}); over {
						n.tell(1<<k, true)
					}
					n.put(k, e)
				}
			})
		})
		begin(storeBack, func(n *world) {
			for k := range n.entries {
				if e := &n.entries[k]; tinyKeys[k].cache == cache && e.ttl > 0 {
					e.ttl += n.set.step
				}
			}
		})
		begin(leaderChange, func(n *world) {
			for k := range n.entries {
				if tinyKeys[k].cache == cache {
					n.entries[k].age = 0
				}
			}
		})
		begin(storeFreeze, func(n *world) {
			n.frozen[store(cache)] = true
		})
	}
}

// ahead calls do with what is in the stores, from key k on, when the clock of one has
// stepped forward: less is left of each TTL, and nothing of those that are over by that;
// at the very instant it may be either.
func (w *world) ahead(cache bool, k int, now [len(tinyKeys)]entry, do func([len(tinyKeys)]entry)) {
	if k == len(now) {
		do(now)
		return
	}
	e := now[k]
	if tinyKeys[k].cache != cache || e.ttl == 0 {
		w.ahead(cache, k+1, now, do)
		return
	}
	e.ttl -= w.set.step
	if e.ttl > 0 && e.age <= e.ttl {
		now[k] = e
		w.ahead(cache, k+1, now, do)
	}
	if e.ttl <= 0 || e.age >= e.ttl {
		now[k] = entry{}
		w.ahead(cache, k+1, now, do)
	}
}

// staleness is how long a replica that serves reads may lag, which is some time.
func (t trials) staleness() int { return max(1, t.lag) }

// mayLag is how long the replica that lags may.
func (w *world) mayLag() int {
	if w.backup.reads {
		return w.set.staleness()
	}
	return w.set.lag
}

// laggards adds the replicas that can fall behind and serve reads.
func (w *world) laggards(begin func(t trouble, change func(n *world))) {
	for _, cache := range []bool{false, true} {
		begin(staleRead, func(n *world) {
			n.backup = backup{lags: true, cache: cache, reads: true}
			for k, e := range n.entries {
				if tinyKeys[k].cache == cache {
					n.backup.entries[k] = e
				}
			}
		})
	}
	begin(staleRead, func(n *world) {
		n.backup = backup{lags: true, reads: true, ofSource: true, source: n.source}
	})
}

// staleReads adds what a replica answers.
func (w *world) staleReads(i int, in instruction, add adder) {
	answer := func(o seen, change func(n *world, s *successor)) {
		add(1, false, func(n *world, s *successor) {
			change(n, s)
			n.deliver(i, in, o)
		})
	}
	switch b := &w.backup; {
	case !b.lags || !b.reads:
	case in.verb == vRead && b.ofSource:
		answer(seen{code: model.Found, value: model.Version(uint8(b.source))}, func(n *world, s *successor) {
			n.rebuilds = min(n.rebuilds+1, n.set.bound+1)
			s.violates[rebuildBound] = n.rebuilds > n.set.bound
		})
	case (in.verb == vGet || in.verb == vGetAt) && !b.ofSource && tinyKeys[in.key].cache == b.cache:
		nothing := func(*world, *successor) {}
		e := b.entries[in.key]
		timed := e.ttl > 0
		gone, going := e.over()
		if e.value.Kind == model.KindNone || timed && e.age >= e.ttl || going {
			answer(seen{code: model.Missing}, nothing)
		}
		if e.value.Kind != model.KindNone && (!timed || e.age <= e.ttl) && !gone {
			answer(seen{code: model.Found, value: e.value}, func(n *world, _ *successor) { n.processes[i].moments.seen = e.at })
		}
	}
}
