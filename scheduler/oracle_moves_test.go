package scheduler_test

import (
	"slices"

	"lockstep/model"
)

// rule is a property as the oracle decides it.
type rule int

const (
	mutualExclusion rule = iota
	noStaleOverwrite
	noForeignRelease
	noOrphanedLock
	rebuildBound
	answeredWithin
	rules
)

var ruleNames = [rules]string{"mutual-exclusion", "no-stale-overwrite", "no-foreign-release", "no-orphaned-lock", "rebuild-bound", "answered-within"}

// successor is a world that another can become.
type successor struct {
	world    *world
	weight   int
	fault    bool
	violates [rules]bool
}

// successors returns everything that can happen next, one tick of time
// included.
func (w *world) successors() []successor {
	var all []successor
	add := func(weight int, fault bool, change func(n *world, s *successor)) {
		s := successor{world: w.clone(), weight: weight, fault: fault}
		change(s.world, &s)
		s.world.serve()
		s.world.grant()
		s.world.endSessions()
		s.world.judge(&s)
		s.world.tidy()
		if len(s.world.processes) > mostProcesses || len(s.world.owners) > mostTokens {
			s.world.endlessly = true
		}
		all = append(all, s)
	}
	if w.timePasses() {
		add(0, false, func(n *world, _ *successor) { n.pass() })
	}
	w.troubled(add)
	for i := range w.processes {
		p := &w.processes[i]
		if p.phase == sent {
			w.arrival(i, add)
			continue
		}
		if p.starved {
			continue
		}
		switch w.nodes[p.node].status {
		case crashed, down, doomed:
			continue
		case paused:
			if p.phase != waiting {
				continue
			}
		}
		if w.set.patience >= 0 && p.isRequest(w.set) && !p.cancelled && p.wait > w.set.patience {
			add(1, false, func(_ *world, s *successor) { s.violates[answeredWithin] = true })
		}
		least, _, forever := w.bounds(p)
		switch {
		case w.held(p):
		case p.phase == waiting:
			add(0, false, func(n *world, _ *successor) {
				first := w.set.programs[p.program]
				n.step(i, func(*process) {})
				q := &n.processes[i]
				q.new = q.phase == acting && first[q.pc].remote()
			})
		case p.phase == replying && p.age >= least:
			add(1, false, func(n *world, _ *successor) {
				n.step(i, func(q *process) { n.set.programs.observe(q, q.seen) })
			})
		case p.phase == parked:
			w.leaves(i, add)
		case p.phase == acting && !forever:
			in := w.set.programs[p.program][p.pc]
			if w.givesUp(p) {
				add(1, false, func(n *world, _ *successor) { n.deliver(i, in, seen{code: model.Cancelled}) })
				if in.remote() && !p.cancelledAtIssue {
					for _, code := range w.ways(in) {
						add(1, false, func(n *world, s *successor) {
							n.act(i, in, code, s)
							n.deliver(i, in, seen{code: model.Cancelled})
						})
					}
				}
				if in.requests() && !p.cancelledAtIssue && w.set.latMax > 0 && p.age <= w.set.latMax {
					add(1, false, func(n *world, _ *successor) {
						n.send(i, in, false)
						n.deliver(i, in, seen{code: model.Cancelled})
					})
				}
			}
			if in.stoppable() && p.stopped {
				add(1, false, func(n *world, _ *successor) {
					n.step(i, func(q *process) { n.set.programs.observe(q, seen{code: model.Stopped}) })
				})
				if p.stoppedAtIssue {
					continue
				}
			}
			w.lapses(i, in, add)
			if p.age < least || w.givesUp(p) || w.cutOff(p) {
				continue
			}
			if w.refused(p) {
				add(1, false, func(n *world, _ *successor) { n.deliver(i, in, seen{code: model.Failed}) })
				continue
			}
			w.failures(i, in, add)
			for _, code := range w.answers(p, in) {
				add(1, false, func(n *world, s *successor) { n.effect(i, in, code, s) })
			}
			w.staleReads(i, in, add)
		}
	}
	for k, e := range w.entries {
		if e.ttl > 0 && e.age >= e.ttl && !w.still(k) {
			add(1, false, func(n *world, _ *successor) {
				n.put(k, entry{})
				n.tell(1<<k, true)
			})
		}
	}
	w.removals(add)
	w.timeouts(add)
	for n := range w.nodes {
		busy := false
		for i := range w.processes {
			busy = busy || w.processes[i].node == n && w.processes[i].active()
		}
		if w.nodes[n].status == paused {
			w.resumes(func(p *process) bool { return p.node == n && (!p.starved || p.overdue) }, func(change func(*world)) {
				add(1, false, func(c *world, _ *successor) {
					change(c)
					c.nodes[n].status, c.nodes[n].age = running, 0
				})
			})
		}
		if busy && w.nodes[n].status == running && w.pauses > 0 {
			add(1, true, func(c *world, _ *successor) {
				c.nodes[n].status, c.nodes[n].age = paused, 0
				c.pauses--
			})
		}
		if busy && w.nodes[n].status != crashed && w.crashes > 0 {
			add(1, true, func(c *world, _ *successor) {
				c.crash(n)
				c.crashes--
			})
		}
	}
	return all
}

// crash ends a node.
func (w *world) crash(n int) {
	w.nodes[n] = host1{status: crashed, ahead: w.nodes[n].ahead}
	w.processes = slices.DeleteFunc(w.processes, func(p process) bool { return p.node == n && p.phase != sent })
}

// timePasses reports whether a tick may go by: nothing that would then be late.
func (w *world) timePasses() bool {
	if w.overdueTrouble() || w.mustRemove() || w.mustTimeOut() {
		return false
	}
	for i := range w.processes {
		p := &w.processes[i]
		if w.late(p) {
			return false
		}
		if w.cutOff(p) && !w.givesUp(p) && w.limit(p) == 0 {
			continue
		}
		if (w.nodes[p.node].status != running || p.starved) && p.phase != sent {
			continue
		}
		if _, most, forever := w.bounds(p); !forever && p.age >= most {
			return false
		}
	}
	for k, e := range w.entries {
		if e.ttl > 0 && e.age >= e.ttl && !w.still(k) {
			return false
		}
	}
	for _, n := range w.nodes {
		if n.status == paused && n.age >= w.set.pauseMax {
			return false
		}
	}
	return true
}

// pass lets a tick go by. Ages stop where they no longer matter.
func (w *world) pass() {
	w.passTrouble()
	w.timers = slices.Clone(w.timers)
	for k := range w.timers {
		w.timers[k].age = min(w.timers[k].age+1, w.timers[k].ttl)
	}
	for i := range w.processes {
		p := &w.processes[i]
		p.age = min(p.age+1, w.longest(p))
		if w.set.patience >= 0 && p.isRequest(w.set) {
			p.wait = min(p.wait+1, w.set.patience+1)
		}
		p.own.pass()
		p.found.pass()
		p.moments.seen.pass()
		if p.hasDeadline && !p.deadlinePassed {
			p.deadlineAge = min(p.deadlineAge+1, p.deadlineLimit+1)
		}
	}
	for k := range w.entries {
		w.entries[k].at.pass()
		w.entries[k].bond.pass()
		if e := &w.entries[k]; e.ttl > 0 {
			// What a store whose clock stands still keeps may grow old.
			e.age = min(e.age+1, e.ttl+1)
		}
	}
	for n := range w.nodes {
		if w.nodes[n].status == paused {
			w.nodes[n].age++
		}
	}
}

// answers returns what a process may observe where the moment decides: at the
// very instant of a limit it may be either. One zero code otherwise.
func (w *world) answers(p *process, in instruction) []model.Code {
	if in.patient() {
		return w.ends(p, in)
	}
	if in.asks() {
		return w.ages(in)
	}
	var codes []model.Code
	switch in.verb {
	case vOlder:
		return w.older(p, in)
	case vPassed:
		if !p.deadlinePassed && p.deadlineAge <= p.deadlineLimit {
			codes = append(codes, model.NotPassed)
		}
		if p.deadlinePassed || p.deadlineAge >= p.deadlineLimit {
			codes = append(codes, model.Passed)
		}
		return codes
	case vPTTL:
		e := w.entries[in.key]
		if e.ttl == 0 {
			break
		}
		if w.still(in.key) {
			return []model.Code{model.NotBelow, model.Below}
		}
		left := e.ttl - e.age
		if left >= in.ttl {
			codes = append(codes, model.NotBelow)
		}
		if left <= in.ttl {
			codes = append(codes, model.Below)
		}
		return codes
	}
	return []model.Code{0}
}

// put changes what is under a key, and forgets the rebuilds if a cached value
// went away.
func (w *world) put(k int, e entry) {
	if w.entries[k].value.Kind == model.KindVersion && e.value.Kind == model.KindNone {
		w.rebuilds = 0
	}
	w.entries[k] = e
}

// effect lets the operation of the process take effect.
func (w *world) effect(i int, in instruction, answer model.Code, s *successor) {
	o := w.act(i, in, answer, s)
	if !w.begins(i, in, o) {
		w.deliver(i, in, o)
	}
}

// act changes the world and returns what the process will see of that.
func (w *world) act(i int, in instruction, answer model.Code, s *successor) seen {
	p := &w.processes[i]
	o := w.onWaits(p, in, answer)
	if op, ok := in.onEntry(w.set); ok {
		o = w.onEntry(p, in, op, s)
		if in.verb == vPTTL && o.code == model.Below {
			o.code = answer
		}
		w.stamp(p, in, o.code)
		if in.changes() && o.code == model.Done {
			w.tell(1<<in.key, false)
		}
	}
	if in.asks() {
		return w.ask(p, in, answer, s)
	}
	switch in.verb {
	case vNow, vStoreNow:
		w.stamp(p, in, o.code)
	case vOlder:
		o.code = answer
	case vRead:
		o = seen{code: model.Found, value: model.Version(uint8(w.source))}
		w.rebuilds = min(w.rebuilds+1, w.set.bound+1)
		s.violates[rebuildBound] = w.rebuilds > w.set.bound
	case vUpdate, vUpdateIf, vBegin:
		o = w.write(p, in)
	case vRecall, vRemember, vRememberNX, vForget, vForgetEq:
		o = w.recall(p, in)
	case vExec:
		o = w.exec(p, in, s)
	case vWithTimeout, vCancel, vCancelled:
		o = w.onContext(p, in)
	case vCommit, vRollback:
		o = w.finish(p, in)
	case vStop:
		if q := w.find(p.family(), p.task[in.slot]-1); q.phase != ended {
			q.stopped = true
		}
	case vWait:
		o = w.find(p.family(), p.task[in.slot]-1).result
	case vDeadline:
		p.hasDeadline, p.deadlinePassed, p.deadlineAge, p.deadlineLimit = true, false, 0, in.ttl
	case vReset:
		p.deadlinePassed, p.deadlineAge = false, 0
	case vPassed:
		o.code = answer
		if answer == model.Passed {
			p.deadlinePassed, p.deadlineAge = true, 0
		}
	}
	return o
}

// onEntry returns the operation on an entry that the instruction stands for.
func (in instruction) onEntry(set *setting) (model.Operation, bool) {
	kinds := map[verb]model.OperationKind{
		vGet: model.Get, vSet: model.Set, vSetXX: model.Set, vSetNX: model.Set, vDel: model.Delete, vPExpire: model.PExpire,
		vPTTL: model.PTTL, vSetAt: model.Set, vSetNow: model.Set, vGetAt: model.GetStamped, vDelEq: model.DeleteIfEqual, vExpireEq: model.ExpireIfEqual,
	}
	kind, ok := kinds[in.verb]
	op := model.Operation{Kind: kind, TTL: model.Ticks(in.ttl)}
	switch in.verb {
	case vSetNX, vSetAt, vSetNow:
		op.Mode = model.IfAbsent
	case vSetXX:
		op.Mode = model.IfPresent
	}
	switch {
	case in.keepTTL:
		op.Mode, op.TTL = op.Mode|model.KeepTTL, 0
	case in.valueTTL:
		op.TTL = model.Ticks(set.valueTTL)
	}
	return op, ok
}

// onEntry uses the one thing that the oracle shares with the engine: what an
// operation does to an entry.
func (w *world) onEntry(p *process, in instruction, op model.Operation, s *successor) seen {
	const runs = 7 // stands for the time that an entry has had
	if w.sessionless(in) {
		return seen{code: model.Failed}
	}
	if in.session {
		op.TTL = 0
	}
	before := w.entries[in.key]
	shared := model.Entry{Value: before.value, TTL: model.Ticks(before.ttl)}
	if before.ttl > 0 {
		shared.Clock = runs
	}
	result, code := op.Effect(shared, p.v[in.v])
	after := entry{value: result.Value, ttl: int(result.TTL)}
	if result.Value.Kind != model.KindNone && (op.Kind != model.Set || code != model.Done) {
		after.at = before.at
	}
	after.bond = in.rebind(before.bond, op, code, after.value.Kind != model.KindNone)
	if result.Clock == runs {
		after.age = before.age
	}
	gone := before.value.Kind == model.KindToken && after.value.Kind == model.KindNone
	s.violates[noForeignRelease] = gone && w.owners[before.value.N] != p.family()
	if op.Kind == model.Set && code == model.Done && after.value.Kind == model.KindVersion {
		version := int(after.value.N)
		s.violates[noStaleOverwrite] = version < w.lastKept[in.key]
		w.lastKept[in.key] = version
	}
	w.put(in.key, after)
	o := seen{code: code}
	if code == model.Found {
		o.value = result.Value
	}
	return o
}

// judge looks at the properties that are about states.
func (w *world) judge(s *successor) {
	var believers [len(tinyKeys)]int
	lives := map[family]bool{}
	for i := range w.processes {
		p := &w.processes[i]
		if p.phase != ended && p.phase != sent {
			lives[p.family()] = true
		}
		for k, b := range p.believes {
			if b {
				believers[k]++
			}
		}
	}
	for _, n := range believers {
		s.violates[mutualExclusion] = s.violates[mutualExclusion] || n > 1
	}
	for _, e := range w.entries {
		if e.value.Kind == model.KindToken && e.ttl == 0 && !e.bound && !lives[w.owners[e.value.N]] {
			s.violates[noOrphanedLock] = true
		}
	}
}

// isRequest reports whether the process is a request that has arrived and is not
// answered.
func (p *process) isRequest(set *setting) bool { return p.requests(set) && p.active() }

// requests reports whether it is one, or will be.
func (p *process) requests(set *setting) bool {
	return p.node < set.services() && p.root && !p.job && !p.boots()
}

// settled reports whether no request is live.
func (w *world) settled() bool {
	for i := range w.processes {
		p := &w.processes[i]
		if p.isRequest(w.set) && !p.new && !p.cancelled {
			return false
		}
	}
	return true
}
