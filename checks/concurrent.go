package checks

import (
	"fmt"
	"strconv"

	"lockstep/model"
)

// ConcurrentRebuilds is the property that at most bound rebuilds are under way at
// the same time. A rebuild is under way from the effect of its read of the source
// until the value has been computed, also while its node is paused. bound is 0 to
// MaxBound.
func ConcurrentRebuilds(bound int) model.Property { return concurrentRebuilds{bound} }

type concurrentRebuilds struct{ bound int }

func (p concurrentRebuilds) Argument() string { return strconv.Itoa(p.bound) }

func (concurrentRebuilds) Name() string { return "concurrent-rebuilds" }
func (p concurrentRebuilds) Rule() string {
	return fmt.Sprintf("at most %s under way at the same time", model.Count(p.bound, "rebuild is", "rebuilds are"))
}
func (concurrentRebuilds) Vacuous() string { return "no rebuild ever started" }
func (concurrentRebuilds) Memory() int     { return 0 }

func (p concurrentRebuilds) Check(s *model.State, _ *model.Event, _ []byte) model.Outcome {
	switch n := p.Counted(s, nil); {
	case n > p.bound:
		return model.Exercised | model.Violated
	case n > 0:
		return model.Exercised
	}
	return 0
}

// Counted returns the number of rebuilds that are under way.
func (concurrentRebuilds) Counted(s *model.State, _ []byte) int {
	n := 0
	for i := range s.Processes {
		if s.Processes[i].Rebuilding {
			n++
		}
	}
	return n
}

// Valid refuses a bound that cannot be counted.
func (p concurrentRebuilds) Valid() error { return validBound(p.Name(), p.bound) }

func (p concurrentRebuilds) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	if p.bound == 0 {
		return last.Process + " started a rebuild"
	}
	return fmt.Sprintf("%s started a rebuild while %s under way", last.Process, model.Count(p.bound, "other was", "others were"))
}
