package checks

import (
	"fmt"
	"strconv"

	"lockstep/model"
)

// NodeRebuilds is the property that at most bound rebuilds are under way on one node at the
// same time: what coalescing within a process promises. When a rebuild is under way is said
// at [ConcurrentRebuilds]. bound is 0 to MaxBound.
func NodeRebuilds(bound int) model.Property { return nodeRebuilds{bound} }

type nodeRebuilds struct{ bound int }

func (p nodeRebuilds) Argument() string { return strconv.Itoa(p.bound) }

func (nodeRebuilds) Name() string { return "node-rebuilds" }
func (p nodeRebuilds) Rule() string {
	return fmt.Sprintf("at most %s under way on a node at the same time", model.Count(p.bound, "rebuild is", "rebuilds are"))
}
func (nodeRebuilds) Vacuous() string { return "no rebuild ever started" }
func (nodeRebuilds) Memory() int     { return 0 }

func (p nodeRebuilds) Check(s *model.State, _ *model.Event, _ []byte) model.Outcome {
	switch n := p.Counted(s, nil); {
	case n > p.bound:
		return model.Exercised | model.Violated
	case n > 0:
		return model.Exercised
	}
	return 0
}

// Counted returns the largest number of rebuilds that are under way on a node.
func (nodeRebuilds) Counted(s *model.State, _ []byte) int {
	most, n := 0, 0
	for i := range s.Processes {
		if i > 0 && s.Processes[i].Node != s.Processes[i-1].Node {
			n = 0
		}
		if s.Processes[i].Rebuilding {
			n++
		}
		most = max(most, n)
	}
	return most
}

// Valid refuses a bound that cannot be counted.
func (p nodeRebuilds) Valid() error { return validBound(p.Name(), p.bound) }

func (p nodeRebuilds) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	if p.bound == 0 {
		return last.Process + " started a rebuild"
	}
	return fmt.Sprintf("%s started a rebuild while %s under way on its node", last.Process, model.Count(p.bound, "other was", "others were"))
}
