package scheduler_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
)

// The faults of the oracle beyond crash and pause. Each is written down from what it
// is said to do, at every instant, without a thought of where it could matter.

// trouble is a kind of fault.
type trouble int

const (
	evict trouble = iota
	wipe
	failover
	storePause
	partition
	storeError
	lostRequest
	lostReply
	cancel
	rebuildError
	restart
	delay
	duplicate
	resend
	storeForward
	storeBack
	storeFreeze
	disconnect
	starve
	panics
	goexit
	staleRead
	leaderChange
	lostMessage
	clockForward
	clockBack
	troubles
)

var troubleNames = [troubles]string{"evict", "wipe", "failover", "store-pause", "partition", "store-error", "lost-request", "lost-reply", "cancel", "rebuild-error", "restart", "delay", "duplicate", "resend", "store-clock-forward", "store-clock-back", "store-clock-freeze", "disconnect", "starve", "panic", "goexit", "stale-read", "leader-change", "lost-message", "clock-forward", "clock-back"}

// trials are the budgets of a setting and how long things take, in ticks.
type trials struct {
	budget                 [troubles]int
	lag, outage, timeout   int
	downLeast, downLongest int
	late, step             int // of a delay or duplicate, and of a clock
}

func (t trials) String() string {
	var parts []string
	for k, n := range t.budget {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", troubleNames[k], n))
		}
	}
	return fmt.Sprintf("%s lag=%d outage=%d timeout=%d down=%d..%d late=%d step=%d", strings.Join(parts, " "), t.lag, t.outage, t.timeout, t.downLeast, t.downLongest, t.late, t.step)
}

// faults are the same for the engine.
func (t trials) faults() []model.Fault {
	down := protocol.Range{Min: ticks(t.downLeast), Max: ticks(t.downLongest)}
	all := [troubles]model.Fault{
		faults.Evict(t.budget[evict]), faults.Wipe(t.budget[wipe]), faults.Failover(t.budget[failover], ticks(t.lag)),
		faults.StorePause(t.budget[storePause], ticks(t.outage)), faults.Partition(t.budget[partition], ticks(t.outage)),
		faults.StoreError(t.budget[storeError]), faults.LostRequest(t.budget[lostRequest]), faults.LostReply(t.budget[lostReply]),
		faults.Cancel(t.budget[cancel]), faults.RebuildError(t.budget[rebuildError]), faults.Restart(t.budget[restart], down),
		faults.Delay(t.budget[delay], ticks(t.late)), faults.Duplicate(t.budget[duplicate], ticks(t.late)), faults.Resend(t.budget[resend]),
		faults.StoreClockForward(t.budget[storeForward], ticks(t.step)), faults.StoreClockBack(t.budget[storeBack], ticks(t.step)),
		faults.StoreClockFreeze(t.budget[storeFreeze]), faults.Disconnect(t.budget[disconnect], ticks(t.outage)),
		faults.Starve(t.budget[starve], ticks(t.outage)), faults.Panic(t.budget[panics]), faults.Goexit(t.budget[goexit]),
		faults.StaleRead(t.budget[staleRead], ticks(t.staleness())), faults.LeaderChange(t.budget[leaderChange]),
		faults.LostMessage(t.budget[lostMessage]),
		faults.ClockForward(t.budget[clockForward], ticks(t.step)), faults.ClockBack(t.budget[clockBack], ticks(t.step)),
	}
	var used []model.Fault
	for k, f := range all {
		if t.budget[k] > 0 {
			used = append(used, f)
		}
	}
	return used
}

// errorCode is what a program sees of an error.
func errorCode(err error, otherwise model.Code) model.Code {
	switch {
	case errors.Is(err, protocol.ErrRefused):
		return model.Failed
	case errors.Is(err, protocol.ErrTimeout):
		return model.TimedOut
	case errors.Is(err, protocol.ErrCancelled):
		return model.Cancelled
	}
	return otherwise
}

// backup is the replica of a store that lags.
type backup struct {
	lags  bool
	cache bool
	// It serves reads, and is not what the store will fall back to: of the source, then.
	reads, ofSource bool
	source          int
	age             int
	entries         [len(tinyKeys)]entry
}

// blackout is an outage of a store for a node, or for all.
type blackout struct {
	on         bool
	cache      bool
	everywhere bool
	refuses    bool
	node       int
	age        int
}

func (in instruction) onStore() bool {
	return in.remote() && in.verb != vRead && !in.writes() && !in.ends()
}

func (in instruction) cancellable() bool {
	return in.remote() || in.verb == vCompute || in.stoppable() || in.verb == vReceive
}

// cutOff reports whether an outage keeps the operation of the process back.
func (w *world) cutOff(p *process) bool { return !w.blackout.refuses && w.concerned(p) }

// refused reports whether an outage makes it fail.
func (w *world) refused(p *process) bool { return w.blackout.refuses && w.concerned(p) }

func (w *world) concerned(p *process) bool {
	if !w.blackout.on || p.phase != acting && p.phase != sent {
		return false
	}
	in := w.set.programs[p.program][p.pc]
	return in.onStore() && w.cut(p.node, w.store(p, in))
}

// store reports whether the operation on a store goes to the cache.
func (w *world) store(p *process, in instruction) bool {
	if in.verb == vClose {
		return p.cacheWatched
	}
	return tinyKeys[in.key].cache
}

// cut reports whether an outage keeps a node from a store.
func (w *world) cut(node int, cache bool) bool {
	return w.blackout.on && w.blackout.cache == cache && (w.blackout.everywhere || w.blackout.node == node)
}

// givesUp reports whether the process has to give up its operation.
func (w *world) givesUp(p *process) bool {
	return p.phase == acting && p.calledOff(w.waitsFor(p)) && p.cancellable(w.waitsFor(p))
}

// deliver lets the process learn what became of its operation, at once or later.
func (w *world) deliver(i int, in instruction, o seen) {
	p := &w.processes[i]
	p.new = false
	later := in.remote() && w.set.replyMax > 0
	switch o.code {
	case model.TimedOut:
		later = w.set.timeout > 0
	case model.Cancelled:
		later = false
	}
	if later {
		p.phase, p.age, p.seen = replying, 0, o
		return
	}
	if o.code == model.Panicked && !p.root {
		w.nodes[p.node].status = doomed
	}
	w.step(i, func(q *process) { w.set.programs.observe(q, o) })
}

// failures adds what can strike an operation that could take effect now.
func (w *world) failures(i int, in instruction, add func(weight int, fault bool, change func(n *world, s *successor))) {
	strike := func(t trouble, code model.Code, acts bool) {
		if w.left[t] == 0 {
			return
		}
		for _, answer := range w.ways(in) {
			add(1, true, func(n *world, s *successor) {
				n.left[t]--
				if acts {
					n.act(i, in, answer, s)
				}
				n.deliver(i, in, seen{code: code})
			})
		}
	}
	if in.onStore() {
		strike(storeError, model.Failed, false)
	}
	if in.remote() {
		strike(lostRequest, model.TimedOut, false)
		strike(lostReply, model.TimedOut, true)
	}
	if in.requests() {
		w.lateFailures(i, in, add)
	}
	w.loseMessage(i, in, add)
	if in.verb == vCompute {
		strike(rebuildError, model.Failed, false)
		strike(panics, model.Panicked, false)
		strike(goexit, model.Exited, false)
	}
}

// troubled adds the faults that strike no operation, and what ends them.
func (w *world) troubled(add func(weight int, fault bool, change func(n *world, s *successor))) {
	begin := func(t trouble, change func(n *world)) {
		if w.left[t] > 0 {
			add(1, true, func(n *world, _ *successor) {
				n.left[t]--
				change(n)
			})
		}
	}
	for k, e := range w.entries {
		if e.value.Kind != model.KindNone {
			begin(evict, func(n *world) { n.alter(k, entry{}) })
		}
	}
	for _, cache := range []bool{false, true} {
		some := false
		for k, e := range w.entries {
			some = some || tinyKeys[k].cache == cache && e.value.Kind != model.KindNone
		}
		if some {
			begin(wipe, func(n *world) {
				for k := range n.entries {
					if tinyKeys[k].cache == cache && n.entries[k].value.Kind != model.KindNone {
						n.alter(k, entry{})
					}
				}
			})
		}
		if !w.backup.lags {
			begin(failover, func(n *world) {
				n.backup = backup{lags: true, cache: cache}
				for k, e := range n.entries {
					if tinyKeys[k].cache == cache {
						n.backup.entries[k] = e
					}
				}
			})
		}
		if !w.blackout.on {
			begin(storePause, blackout{on: true, cache: cache, everywhere: true}.begin)
			for node := range w.nodes {
				begin(partition, blackout{on: true, cache: cache, node: node}.begin)
				begin(disconnect, blackout{on: true, cache: cache, node: node, refuses: true}.begin)
			}
		}
	}
	w.clockTroubles(begin)
	w.clocksStep(begin)
	for i := range w.processes {
		p := &w.processes[i]
		switch {
		case p.starved:
			goesOn := func(q *process) bool { return q == p && (w.nodes[p.node].status == running || p.overdue) }
			w.resumes(goesOn, func(change func(*world)) {
				add(1, false, func(n *world, _ *successor) {
					change(n)
					n.processes[i].starved, n.starving = false, 0
				})
			})
		case p.active() && w.nodes[p.node].status == running && !slices.ContainsFunc(w.processes, func(q process) bool { return q.starved }):
			begin(starve, func(n *world) { n.processes[i].starved, n.starving = true, 0 })
		}
	}
	if w.blackout.on {
		w.reconnects(func(change func(*world)) {
			add(1, false, func(n *world, _ *successor) {
				change(n)
				n.blackout = blackout{}
			})
		})
	}
	if !w.backup.lags {
		w.laggards(begin)
	} else if w.backup.reads {
		add(1, false, func(n *world, _ *successor) {
			n.backup = backup{}
			n.caughtUp()
		})
	}
	if w.backup.lags && !w.backup.reads {
		w.promotions(0, w.backup.entries, func(now [len(tinyKeys)]entry) {
			add(1, false, func(n *world, _ *successor) {
				for k, e := range now {
					before := n.entries[k]
					switch {
					case tinyKeys[k].cache != n.backup.cache:
					case before.value != e.value || before.ttl != e.ttl || before.bound != e.bound || before.within != e.within:
						n.alter(k, e)
					default:
						// How much is left of a TTL is no content.
						n.put(k, e)
					}
				}
				n.frozen[store(n.backup.cache)] = false
				n.promoted(n.backup.cache)
				n.backup = backup{}
			})
		})
	}
	for i := range w.processes {
		p := &w.processes[i]
		if p.isRequest(w.set) && !p.cancelled {
			begin(cancel, func(n *world) { n.cancelAll(n.processes[i].family()) })
		}
	}
	for node, h := range w.nodes {
		if h.status == doomed {
			add(1, false, func(n *world, _ *successor) { n.crash(node) })
		}
		busy := false
		for i := range w.processes {
			busy = busy || w.processes[i].node == node && w.processes[i].active()
		}
		if busy || w.renews(node) {
			begin(restart, func(n *world) {
				n.nodes[node] = host1{status: down, ahead: h.ahead}
				var kept, gone []process
				for _, p := range n.processes {
					if p.node != node || p.phase == sent || p.phase == waiting && n.set.window < 0 {
						kept = append(kept, p)
					} else {
						gone = append(gone, p)
					}
				}
				n.processes = kept
				n.asksAgain(gone)
			})
		}
		if h.status == down && h.age >= w.set.downLeast {
			add(1, false, func(n *world, _ *successor) {
				n.nodes[node] = host1{ahead: h.ahead}
				n.reboot(node)
			})
		}
	}
}

// promotions calls do with what is in the replica from key k on, as far as it is not
// over; at the very instant it may be either.
func (w *world) promotions(k int, now [len(tinyKeys)]entry, do func([len(tinyKeys)]entry)) {
	if k == len(now) {
		do(now)
		return
	}
	e := now[k]
	gone, going := e.over()
	if (e.ttl == 0 || e.age <= e.ttl) && !gone {
		w.promotions(k+1, now, do)
	}
	if e.ttl > 0 && e.age >= e.ttl || going {
		now[k] = entry{}
		w.promotions(k+1, now, do)
	}
}

func (w *world) cancelAll(f family) {
	for i := range w.processes {
		p := &w.processes[i]
		if p.family() != f || !p.active() {
			continue
		}
		p.cancelled = true
	}
	w.endContext(f, -1)
}

// overdueTrouble reports whether a fault has to end before time passes.
func (w *world) overdueTrouble() bool {
	if w.backup.lags && w.backup.age >= w.mayLag() || w.blackout.on && w.blackout.age >= w.set.outage {
		return true
	}
	for _, n := range w.nodes {
		if n.status == doomed {
			return true
		}
		if n.status == down && n.age >= w.set.downLongest {
			return true
		}
	}
	for i := range w.processes {
		if w.processes[i].starved && w.starving >= w.set.outage {
			return true
		}
	}
	return false
}

// passTrouble lets a tick go by for what is not a process.
func (w *world) passTrouble() {
	if w.blackout.on {
		w.blackout.age++
	}
	if w.backup.lags {
		w.backup.age++
		for k := range w.backup.entries {
			w.backup.entries[k].at.pass()
			w.backup.entries[k].bond.pass()
			if e := &w.backup.entries[k]; e.ttl > 0 {
				e.age = min(e.age+1, e.ttl+1)
			}
		}
	}
	for i := range w.processes {
		if w.processes[i].starved {
			w.starving++
		}
	}
	for n := range w.nodes {
		if w.nodes[n].status == down {
			w.nodes[n].age++
		}
	}
}

// behind is how many faults are behind the world.
func (w *world) behind() int {
	n := w.set.crashes - w.crashes + w.set.pauses - w.pauses
	for k, left := range w.left {
		n += w.set.budget[k] - left
	}
	return n
}
