package scheduler_test

import (
	"fmt"
	"strings"
	"time"

	"lockstep/model"
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
	session  bool       // bound to the session, which it outlives by ttl at most
	min, max int        // of a Sleep or Compute, ticks
	code     model.Code // that an If looks for
	to       int        // where it goes on
	within   int        // how long its process waits for it at most, ticks; 0 for ever
	detached bool       // it goes on if its request is cancelled
	below    bool       // it is done in the context that its process has opened, if there is one
	n        int        // bound of a Retry, number of a Return or IfNumber, program of a Go, variables kept by a Checkpoint, more keys of a Watch
	halves   int        // by how many halves its clock stretches what it waits for, 0 for two: see oracle_drift_test.go
}

var codeName = map[model.Code]string{
	model.Done: "ok", model.Missing: "missing", model.Found: "found", model.NotMine: "not-mine", model.Refused: "refused",
	model.NoTTL: "no-ttl", model.Below: "below", model.NotBelow: "not-below", model.Stopped: "stopped",
	model.Passed: "passed", model.NotPassed: "not-passed", model.Result: "result",
	model.Failed: "error", model.TimedOut: "timeout", model.Cancelled: "cancelled", model.Elapsed: "elapsed",
}

func (in instruction) String() string {
	if in.session {
		in.session = false
		return in.String() + " ephemeral"
	}
	if in.below {
		in.below = false
		return in.String() + " below"
	}
	if in.detached {
		in.detached = false
		return in.String() + " without cancel"
	}
	if in.within > 0 {
		within := in.within
		in.within = 0
		return fmt.Sprintf("%s within %d", in.String(), within)
	}
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
	case vStoreNow:
		return fmt.Sprintf("%s %s", in.verb, key)
	case vTake, vTakeAt:
		return fmt.Sprintf("%s %s v%d age=%d ttl=%d", in.verb, key, in.v, in.ttl, in.n)
	case vSweep, vAges:
		return fmt.Sprintf("%s %s %d %d", in.verb, key, in.ttl, in.n)
	case vSetNX, vSetAt, vSetNow, vExec:
		return fmt.Sprintf("%s %s v%d ttl=%d", in.verb, key, in.v, in.ttl)
	case vOlder:
		return fmt.Sprintf("%s %d", in.verb, in.ttl)
	case vGetAt:
		return fmt.Sprintf("v%d = %s %s", in.v, in.verb, key)
	case vDel, vAcquired, vReleasing:
		return fmt.Sprintf("%s %s", in.verb, key)
	case vPExpire, vPTTL:
		return fmt.Sprintf("%s %s %d", in.verb, key, in.ttl)
	case vDelEq:
		return fmt.Sprintf("DelIfEqual %s v%d", key, in.v)
	case vExpireEq:
		return fmt.Sprintf("ExpireIfEqual %s v%d %d", key, in.v, in.ttl)
	case vRead, vUpdate, vToken, vBegin, vUpdateIf, vRecall, vRemember, vRememberNX:
		return fmt.Sprintf("v%d = %s", in.v, in.verb)
	case vCompute, vSleep:
		return fmt.Sprintf("%s %d..%d", in.verb, in.min, in.max)
	case vStop:
		return fmt.Sprintf("Stop t%d", in.slot)
	case vWait:
		return fmt.Sprintf("v%d = Wait t%d", in.v, in.slot)
	case vDeadline, vWithTimeout:
		return fmt.Sprintf("%s %d", in.verb, in.ttl)
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

// ticks is how long so many ticks by the clock that measures the instruction are.
func (in instruction) ticks(n int) time.Duration {
	if in.halves == 0 {
		return ticks(n)
	}
	return ticks(n) * time.Duration(in.halves) / 2
}
