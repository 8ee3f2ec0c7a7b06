package checks

import (
	"fmt"
	"strconv"

	"lockstep/model"
)

// RebuildBound is the property that at most bound rebuilds start for each expiry
// or invalidation of a cached value; the empty cache at the beginning counts as
// one. A rebuild starts when its read of the source takes effect. bound is 0 to
// MaxBound.
func RebuildBound(bound int) model.Property { return rebuildBound{bound} }

type rebuildBound struct{ bound int }

func (p rebuildBound) Argument() string { return strconv.Itoa(p.bound) }

func (rebuildBound) Name() string { return "rebuild-bound" }
func (p rebuildBound) Rule() string {
	return fmt.Sprintf("at most %s for each expiry or invalidation", model.Count(p.bound, "rebuild starts", "rebuilds start"))
}
func (rebuildBound) Vacuous() string { return "no rebuild ever started" }

// Memory is the number of rebuilds since the last expiry or invalidation; it
// stays one above the bound.
func (rebuildBound) Memory() int { return 1 }

func (p rebuildBound) Check(_ *model.State, e *model.Event, count []byte) model.Outcome {
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Before.Value.Kind == model.KindVersion && !c.After.Present() {
			count[0] = 0
		}
	}
	if !e.Reached || e.Operation.Kind != model.SourceRead {
		return 0
	}
	return countUp(count, p.bound)
}

// Counted returns the number in the monitor's memory.
func (rebuildBound) Counted(_ *model.State, memory []byte) int { return int(memory[0]) }

// Valid refuses a bound that cannot be counted.
func (p rebuildBound) Valid() error { return validBound(p.Name(), p.bound) }

func (p rebuildBound) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	started := 0
	first := ""
	for i := range t.Steps {
		s := &t.Steps[i]
		for _, c := range s.Changes {
			if c.After == "" && c.Before != "" && c.Before[0] == 'v' {
				started = 0
			}
		}
		if s.Kind != "reply" && s.Operation == "Source.Read" {
			started++
			if started == 1 {
				first = s.Process
			}
		}
	}
	text := fmt.Sprintf("%s started rebuild number %d for the same expiry; %s allowed", last.Process, started, model.Count(p.bound, "is", "are"))
	if first != "" && started == 2 {
		text = fmt.Sprintf("%s started a second rebuild for the same expiry, after %s; %s allowed", last.Process, first, model.Count(p.bound, "is", "are"))
	}
	return text
}
