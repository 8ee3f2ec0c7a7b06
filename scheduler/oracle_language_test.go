package scheduler_test

import (
	"fmt"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// The oracle compares the engine with a naive enumeration of the same protocols.
// Those are written in a language of their own, which both sides interpret
// independently: here as protocol code that calls a Client, in
// oracle_process_test.go as a process of a world that ticks.

// verb is what an instruction does.
type verb string

const (
	vGet      verb = "Get"
	vSet      verb = "Set"
	vSetXX    verb = "SetXX"
	vSetNX    verb = "SetNX"
	vDel      verb = "Del"
	vPExpire  verb = "PExpire"
	vPTTL     verb = "PTTL"
	vDelEq    verb = "DelIfEqual"
	vExpireEq verb = "ExpireIfEqual"
	vRead     verb = "Source.Read"
	vUpdate   verb = "Source.Update"
	vCompute  verb = "Compute"
	vSleep    verb = "Sleep"
	vStop     verb = "Stop"
	vWait     verb = "Wait"
	vDeadline verb = "Deadline"
	vPassed   verb = "Passed"
	vReset    verb = "Reset"

	// What follows takes no time.
	vToken      verb = "NewToken"
	vAcquired   verb = "Acquired"
	vReleasing  verb = "Releasing"
	vGo         verb = "Go"
	vCheckpoint verb = "Checkpoint"
	vIf         verb = "If"
	vIfEqual    verb = "IfEqual"
	vIfNumber   verb = "IfNumber"
	vUnlessInv  verb = "UnlessInvalidates"
	vRetry      verb = "Retry"
	vGoto       verb = "Goto"
	vAgain      verb = "Again"
	vReturn     verb = "Return"
)

const (
	variables = 4 // opaque values: tokens and versions
	counters  = 2 // of bounded retries
	taskSlots = 2
)

// tinyKeys are the keys that programs may use; one is in the cache, the last is for lists.
var tinyKeys = [...]struct {
	cache bool
	name  string
}{{false, "a"}, {false, "b"}, {true, "c"}, {false, "list"}}

// instruction is one line of a program. Which fields count depends on the verb.
type instruction struct {
	verb     verb
	key      int
	v, w     int        // variables
	slot     int        // task, or counter of a Retry
	ttl      int        // ticks
	valueTTL bool       // the TTL of the scenario for cached values
	keepTTL  bool       // KEEPTTL
	min, max int        // of a Sleep or Compute, ticks
	code     model.Code // that an If looks for
	to       int        // where it goes on
	n        int        // bound of a Retry, number of a Return or IfNumber, program of a Go, variables kept by a Checkpoint, more keys of a Watch
}

var codeName = map[model.Code]string{
	model.Done: "ok", model.Missing: "missing", model.Found: "found", model.NotMine: "not-mine", model.Refused: "refused",
	model.NoTTL: "no-ttl", model.Below: "below", model.NotBelow: "not-below", model.Stopped: "stopped",
	model.Passed: "passed", model.NotPassed: "not-passed", model.Result: "result",
	model.Failed: "error", model.TimedOut: "timeout", model.Cancelled: "cancelled", model.Elapsed: "elapsed",
}

func (in instruction) String() string {
	key := "store/" + tinyKeys[in.key].name
	if tinyKeys[in.key].cache {
		key = "cache/" + tinyKeys[in.key].name
	}
	if text, ok := in.waitText(); ok {
		return text
	}
	switch in.verb {
	case vGet:
		return fmt.Sprintf("v%d = Get %s", in.v, key)
	case vSet, vSetXX:
		how := fmt.Sprintf("ttl=%d", in.ttl)
		switch {
		case in.keepTTL:
			how = "keepttl"
		case in.valueTTL:
			how = "ttl=scenario"
		}
		return fmt.Sprintf("%s %s v%d %s", in.verb, key, in.v, how)
	case vSetNX:
		return fmt.Sprintf("SetNX %s v%d ttl=%d", key, in.v, in.ttl)
	case vDel, vAcquired, vReleasing:
		return fmt.Sprintf("%s %s", in.verb, key)
	case vPExpire, vPTTL:
		return fmt.Sprintf("%s %s %d", in.verb, key, in.ttl)
	case vDelEq:
		return fmt.Sprintf("DelIfEqual %s v%d", key, in.v)
	case vExpireEq:
		return fmt.Sprintf("ExpireIfEqual %s v%d %d", key, in.v, in.ttl)
	case vRead, vUpdate, vToken:
		return fmt.Sprintf("v%d = %s", in.v, in.verb)
	case vCompute, vSleep:
		return fmt.Sprintf("%s %d..%d", in.verb, in.min, in.max)
	case vStop:
		return fmt.Sprintf("Stop t%d", in.slot)
	case vWait:
		return fmt.Sprintf("v%d = Wait t%d", in.v, in.slot)
	case vDeadline:
		return fmt.Sprintf("Deadline %d", in.ttl)
	case vGo:
		return fmt.Sprintf("t%d = Go program%d", in.slot, in.n)
	case vCheckpoint:
		return fmt.Sprintf("Checkpoint keep=%b", in.n)
	case vIf:
		return fmt.Sprintf("If %s goto %d", codeName[in.code], in.to)
	case vIfEqual:
		return fmt.Sprintf("If v%d == v%d goto %d", in.v, in.w, in.to)
	case vIfNumber:
		return fmt.Sprintf("If number == %d goto %d", in.n, in.to)
	case vRetry:
		return fmt.Sprintf("Retry goto %d at most %d times (counter %d)", in.to, in.n, in.slot)
	case vUnlessInv, vGoto:
		return fmt.Sprintf("%s goto %d", in.verb, in.to)
	case vReturn:
		return fmt.Sprintf("Return %d v%d", in.n, in.v)
	}
	return string(in.verb)
}

// program is a list of instructions; its end is a Return.
type program []instruction

// The programs of a family of processes: the roles, then what Go may spawn.
const (
	handleProgram = iota
	updateProgram
	firstChild
)

type programs []program

func (ps programs) String() string {
	var b strings.Builder
	for n, p := range ps {
		fmt.Fprintf(&b, "program%d:\n", n)
		for i, in := range p {
			fmt.Fprintf(&b, "  %2d: %s\n", i, in)
		}
	}
	return b.String()
}

// tick is what one tick of the oracle is for the engine.
const tick = time.Second

func ticks(n int) time.Duration { return time.Duration(n) * tick }

// tiny is a protocol.Protocol that interprets programs.
type tiny struct {
	// Tick makes the tick known to the engine before any code has run.
	Tick     time.Duration `help:"the tick"`
	programs programs
}

// Handle is one request.
func (p tiny) Handle(c *protocol.Client) protocol.Answer {
	if r, again := p.run(c, handleProgram, tinyLocals{}); again {
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
	tinyWaits
	tinyTimes
}

func pick(ok bool, yes, no model.Code) model.Code {
	if ok {
		return yes
	}
	return no
}

func (p tiny) run(c *protocol.Client, number int, l tinyLocals) (result tinyResult, again bool) {
	code := p.programs[number]
	for pc := 0; pc < len(code); {
		in := code[pc]
		pc++
		store, key := c.Store, tinyKeys[in.key].name
		if tinyKeys[in.key].cache {
			store = c.Cache
		}
		var none protocol.Value
		// What has no argument does not happen.
		if l.idle(in) || l.mute(in) || in.verb == vSetAt && l.v[in.v] == none {
			continue
		}
		switch in.verb {
		case vSet, vSetXX, vSetNX, vDelEq, vExpireEq:
			if l.v[in.v] == none {
				continue
			}
		case vStop, vWait:
			if l.task[in.slot] == nil {
				continue
			}
		case vPassed, vReset:
			if l.deadline == nil {
				continue
			}
		}
		if code, ok := l.at(c, store, key, &l.v[in.v], in); ok {
			l.last = code
			continue
		}
		if code, ok := l.do(c, in); ok {
			l.last = code
			continue
		}
		var options []protocol.SetOption
		switch {
		case in.keepTTL:
			options = append(options, protocol.KeepTTL())
		case in.valueTTL:
			options = append(options, c.ValueTTL())
		case in.ttl > 0:
			options = append(options, protocol.PX(ticks(in.ttl)))
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
			ok, err := store.SetNX(key, l.v[in.v], ticks(in.ttl))
			l.last = errorCode(err, pick(ok, model.Done, model.Refused))
		case vDel:
			ok, err := store.Del(key)
			l.last = errorCode(err, pick(ok, model.Done, model.Missing))
		case vPExpire:
			ok, err := store.PExpire(key, ticks(in.ttl))
			l.last = errorCode(err, pick(ok, model.Done, model.Missing))
		case vPTTL:
			left, err := store.PTTL(key, ticks(in.ttl))
			l.last = [...]model.Code{protocol.Absent: model.Missing, protocol.NoTTL: model.NoTTL, protocol.Below: model.Below, protocol.NotBelow: model.NotBelow}[left]
			l.last = errorCode(err, l.last)
		case vDelEq, vExpireEq:
			var owner protocol.Ownership
			var err error
			if in.verb == vDelEq {
				owner, err = store.DelIfEqual(key, l.v[in.v])
			} else {
				owner, err = store.ExpireIfEqual(key, l.v[in.v], ticks(in.ttl))
			}
			l.last = [...]model.Code{protocol.Mine: model.Done, protocol.NotMine: model.NotMine, protocol.Gone: model.Missing, protocol.Unknown: 0}[owner]
			l.last = errorCode(err, l.last)
		case vRead:
			var err error
			l.v[in.v], err = c.Source.Read()
			l.last = errorCode(err, model.Found)
		case vUpdate:
			var err error
			l.v[in.v], err = c.Source.Update()
			l.last = errorCode(err, model.Found)
		case vCompute:
			l.last = errorCode(c.Compute(protocol.Range{Min: ticks(in.min), Max: ticks(in.max)}), model.Done)
		case vSleep:
			err := c.SleepBetween(ticks(in.min), ticks(in.max))
			l.last = errorCode(err, pick(err == nil, model.Done, model.Stopped))
		case vStop:
			l.task[in.slot].Stop()
			l.last = model.Done
		case vWait:
			r := l.task[in.slot].Wait()
			l.last, l.number, l.v[in.v] = model.Result, r.N, r.V
		case vDeadline:
			l.deadline = c.Deadline(ticks(in.ttl))
			l.last = model.Done
		case vPassed:
			l.last = pick(l.deadline.Passed(), model.Passed, model.NotPassed)
		case vReset:
			l.deadline.Reset()
			l.last = model.Done
		case vToken:
			l.v[in.v] = c.NewToken()
		case vAcquired:
			c.Acquired(key)
		case vReleasing:
			c.Releasing(key)
		case vGo:
			inherited := tinyLocals{v: l.v}
			l.task[in.slot] = protocol.Go(c, func(c *protocol.Client) tinyResult {
				r, _ := p.run(c, in.n, inherited)
				return r
			})
		case vCheckpoint:
			kept := tinyLocals{last: l.last, number: l.number, count: l.count, deadline: l.deadline}
			for k := range l.v {
				if in.n&(1<<k) != 0 {
					kept.v[k] = l.v[k]
				}
			}
			kept.task, kept.holds = l.task, l.holds
			if in.n&keepsWatch != 0 {
				kept.watch, kept.closed = l.watch, l.closed
			}
			l = kept
			c.Checkpoint(pc, l.v, int(l.last), l.number, l.count, l.task[0], l.task[1], l.deadline, l.watch, l.closed, l.holds)
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
