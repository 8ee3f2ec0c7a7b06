package scheduler_test

import (
	"maps"
	"testing"

	"lockstep/model"
)

// outcome is a setting in which some process comes to its mark, a stale write, or never
// does.
type outcome struct {
	reached bool
	faults  int
	set     *setting
}

// marked appends the mark to a program: it is where jumps beyond the end lead, and only
// they.
func marked(p program) program {
	return append(append(p, instruction{verb: vReturn}),
		instruction{verb: vRead, v: 1}, instruction{verb: vUpdate, v: 3}, instruction{verb: vSet, key: keyCache, v: 3}, instruction{verb: vSet, key: keyCache, v: 1})
}

// alone is a setting of one request, for programs by number.
func alone(ps ...program) *setting {
	return &setting{nodes: 1, requests: 1, bound: 1, patience: -1, window: -1, programs: ps}
}

// struck is alone with one fault of the kind.
func struck(t trouble, ps ...program) *setting {
	s := alone(ps...)
	s.budget[t], s.outage, s.timeout, s.lag = 1, 1, 1, 1
	return s
}

func mark(code model.Code, end int) instruction {
	return instruction{verb: vIf, code: code, to: end + 1}
}

// seeing is a program that ends with an instruction and comes to its mark if that has the
// outcome.
func seeing(code model.Code, p ...instruction) program {
	return marked(append(p, mark(code, len(p)+1)))
}

func TestOutcomesAreThoseOfTheNaiveEnumeration(t *testing.T) {
	all := waitOutcomes()
	maps.Copy(all, withinOutcomes())
	maps.Copy(all, transactionOutcomes())
	maps.Copy(all, execOutcomes())
	maps.Copy(all, detachedOutcomes())
	maps.Copy(all, sessionOutcomes())
	maps.Copy(all, replicaOutcomes())
	maps.Copy(all, memoryOutcomes())
	maps.Copy(all, roleOutcomes())
	maps.Copy(all, bootOutcomes())
	maps.Copy(all, localWatchOutcomes())
	maps.Copy(all, ageOutcomes())
	maps.Copy(all, contextOutcomes())
	maps.Copy(all, quorumOutcomes())
	for name, o := range all {
		t.Run(name, func(t *testing.T) {
			if skip, err := compare(o.set); err != nil || skip != "" {
				t.Fatalf("%s %v\n%s", skip, err, o.set)
			}
			if c := enumerate(o.set, oracleWorlds).best[noStaleOverwrite]; c.found != o.reached || c.faults != o.faults {
				t.Errorf("%s\n%s", c, o.set)
			}
		})
	}
}
