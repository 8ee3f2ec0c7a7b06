package scheduler_test

import "lockstep/model"

// phase is how far a process of the oracle is.
type phase uint8

const (
	waiting  phase = iota // not arrived
	acting                // its operation is issued
	replying              // its operation has taken effect, it does not know yet
	parked                // it waits for an element at an empty list
	ended
	sent // a request that is under way without its process
)

// seen is what a process gets back from an operation.
type seen struct {
	code   model.Code
	value  model.Datum
	number int
}

// process is a process of the oracle: where it is in its program, its locals,
// and since when.
type process struct {
	node, request, order int // order: among those that the request has spawned
	root                 bool
	job                  bool
	program, pc          int
	phase                phase
	age                  int // ticks in this phase
	wait                 int // ticks since the arrival of a request, if somebody asks
	seen                 seen
	v                    [variables]model.Datum
	last                 model.Code
	number               int
	count                [counters]int
	task                 [taskSlots]int // order + 1
	hasDeadline          bool
	deadlinePassed       bool
	deadlineAge          int
	deadlineLimit        int
	stopped              bool
	stoppedAtIssue       bool
	cancelled            bool
	cancelledAtIssue     bool
	believes             [len(tinyKeys)]bool
	// new: it has arrived, and its first operation, which goes to a store or to
	// the source, has not taken effect.
	new bool
	// byFault: it is under way for as long as a fault lets it be.
	byFault bool
	// starved: it takes no step.
	starved bool
	moments
	giving
	scopes
	// detached: what it does goes on if its request is cancelled.
	detached bool
	transaction
	// place is that in the queue of a list, from 1.
	place int
	watch watching
	// What its code knows: of its watch, of what store that is, if it is of any, and whether
	// it has locked the mutex of its node.
	hasWatch, closed, cacheWatched, localWatched, holds bool
	// result is what is left of an ended process.
	result seen
}

// host is the world of a process as far as code that takes no time can tell.
type host interface {
	token(p *process) model.Datum
	spawn(p *process, in instruction) (task int)
	restart(p *process)
	kept(p *process)
	context(p *process) int
}

// issues reports whether the instruction is an operation for p: something that
// takes effect in a step of its own.
func (p *process) issues(in instruction) bool {
	var none model.Datum
	switch in.verb {
	case vSet, vSetXX, vSetNX, vDelEq, vExpireEq, vUpdateIf, vRemember, vRememberNX, vForgetEq, vSetNow, vTake:
		return p.v[in.v] != none
	case vExec:
		return p.v[in.v] != none && !in.unable(p.hasWatch && !p.localWatched, p.cacheWatched)
	case vCommit, vRollback:
		return p.knows
	case vStop, vWait:
		return p.task[in.slot] != 0
	case vPassed, vReset:
		return p.hasDeadline
	case vWatch, vWatchWrites, vSubscribe, vWatchLocal:
		return !p.hasWatch || p.closed
	case vNotice, vNoticeWithin:
		return p.hasWatch
	case vWithTimeout:
		return !p.sub.open
	case vCancel:
		return p.sub.open
	case vClose, vCloseLocal:
		return p.hasWatch && p.localWatched == (in.verb == vCloseLocal)
	case vUnlock:
		return p.holds
	case vPush, vPop, vBlockingPop, vPublish, vLock, vLockWithin, vSend, vReceive, vNow, vGetAt, vBegin, vReplicas, vRecall, vForget, vStoreNow, vSweep, vAges, vCancelled:
		return true
	case vSetAt, vTakeAt:
		return p.v[in.v] != none && !p.mute(in)
	case vOlder:
		return !p.mute(in)
	case vGet, vDel, vPExpire, vPTTL, vRead, vUpdate, vCompute, vSleep, vDeadline:
		return true
	}
	return false
}

// remote reports whether it goes to a store or to the source.
func (in instruction) remote() bool {
	switch in.verb {
	case vGet, vSet, vSetXX, vSetNX, vDel, vPExpire, vPTTL, vDelEq, vExpireEq, vRead, vUpdate,
		vPush, vPop, vBlockingPop, vWatch, vWatchWrites, vSubscribe, vPublish, vClose, vSetAt, vGetAt, vBegin, vCommit, vRollback, vUpdateIf, vExec, vReplicas,
		vStoreNow, vSetNow, vTake, vTakeAt, vSweep, vAges:
		return true
	}
	return false
}

// endless is how many instructions without an operation are too many.
const endless = 150

// advance lets p run from its pc to its next operation, which it issues, or to
// its end. invalidates is what the scenario says of updates. It is false if that
// takes too long.
func (ps programs) advance(p *process, h host, invalidates bool) bool {
	for range endless {
		if p.phase == ended {
			return true
		}
		if p.pc >= len(ps[p.program]) {
			p.end(0, model.Datum{})
			return true
		}
		in := ps[p.program][p.pc]
		if p.issues(in) {
			p.phase, p.age, p.seen = acting, 0, seen{}
			p.overdue, p.late = false, false
			p.cancelledAtIssue = p.calledOff(in) && p.cancellable(in)
			p.stoppedAtIssue = p.stopped && in.stoppable() && !p.cancelledAtIssue
			return true
		}
		p.pc++
		switch in.verb {
		case vToken:
			p.v[in.v] = h.token(p)
		case vAcquired:
			p.believes[in.key] = true
		case vReleasing:
			p.believes[in.key] = false
		case vGo:
			p.task[in.slot] = h.spawn(p, in)
		case vWithCancel:
			if !p.sub.open {
				p.opens(h.context(p))
			}
		case vCheckpoint:
			p.parents = [3]int{}
			for k := range p.v {
				if in.n&(1<<k) == 0 {
					p.v[k] = model.Datum{}
				}
			}
			if in.n&keepsWatch == 0 {
				p.watch, p.hasWatch, p.closed = watching{}, false, false
				p.cacheWatched, p.localWatched = false, false
			}
			p.moments = moments{}
			h.kept(p)
		case vIf:
			if p.last == in.code {
				p.pc = in.to
			}
		case vIfEqual:
			if p.v[in.v] == p.v[in.w] {
				p.pc = in.to
			}
		case vIfNumber:
			if p.number == in.n {
				p.pc = in.to
			}
		case vUnlessInv:
			if !invalidates {
				p.pc = in.to
			}
		case vRetry:
			if p.count[in.slot] < in.n {
				p.count[in.slot]++
				p.pc = in.to
			}
		case vGoto:
			p.pc = in.to
		case vAgain:
			// Only a request starts over; for the rest it is the end.
			if !p.root || p.job || p.boots() || p.program == updateProgram {
				p.end(0, model.Datum{})
				return true
			}
			h.restart(p)
			*p = process{node: p.node, request: p.request, order: p.order, root: p.root, program: p.program, wait: p.wait, cancelled: p.cancelled, giving: giving{within: p.within}}
		case vReturn:
			p.end(in.n, p.v[in.v])
			return true
		}
	}
	return false
}

func (p *process) end(number int, value model.Datum) {
	*p = process{node: p.node, request: p.request, order: p.order, root: p.root, program: p.program, phase: ended}
	p.result = seen{model.Result, value, number}
}

// observe lets p learn what became of its operation.
func (ps programs) observe(p *process, o seen) {
	if o.code == model.Panicked || o.code == model.Exited {
		p.end(0, model.Datum{})
		return
	}
	in := ps[p.program][p.pc]
	switch in.verb {
	case vGet, vRead, vUpdate, vRecall:
		p.v[in.v] = o.value
	case vGetAt:
		p.v[in.v], p.found = o.value, moment{}
		if o.code == model.Found {
			p.found = p.moments.seen
		}
		p.moments.seen = moment{}
	case vStoreNow:
		if o.code == model.Done {
			p.own = p.moments.seen
		}
		p.moments.seen = moment{}
	case vWait:
		p.v[in.v], p.number = o.value, o.number
	}
	p.learnsExec(in, o.code)
	p.learnsSource(in, o)
	p.learns(in, o.code)
	p.last = o.code
	p.seen = seen{}
	p.pc++
}
