package scheduler_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
)

// A clock that drifts at some rate is one that is right, where everything that it measures
// takes longer or shorter. So a search with drift is held against searches without, which
// the enumeration knows, of the same programs with what one kind of clock measures
// stretched by half, left as it is, or shortened by half: what one of them violates does
// not hold where clocks may drift by as much. The other way round every counterexample is
// replayed with one rate of each clock.

var driftCases = flag.Int("drift", 30, "how many random cases are compared with clocks that drift")

// measured says which clock measures what the instruction waits for.
func (in instruction) measured() (byStore, byNode bool) {
	switch in.verb {
	case vSet, vSetXX, vSetNX, vPExpire, vPTTL, vExpireEq, vBlockingPop, vReplicas, vExec, vTake, vTakeAt:
		return true, false
	case vSleep, vDeadline, vNoticeWithin, vLockWithin, vReceive:
		return false, true
	}
	return false, false
}

// stretched is the scenario with what the clocks of stores, or of nodes, measure stretched
// by so many halves.
func (s *setting) stretched(stores bool, halves int) scheduler.Scenario {
	c := s.copy()
	for _, p := range c.programs {
		for i := range p {
			if byStore, byNode := p[i].measured(); stores && byStore || !stores && byNode {
				p[i].halves = halves
			}
		}
	}
	scenario := c.scenario()
	if stores {
		scenario.ValueTTL = scenario.ValueTTL * time.Duration(halves) / 2
	}
	return scenario
}

// drifts reports whether what clocks measure in the setting is all that a drift concerns:
// replicas have clocks of their own, a step is one of the clock that drifts, and what a
// session has left behind is not measured.
func (s *setting) drifts() bool {
	for _, t := range []int{int(failover), int(staleRead), int(storeForward), int(storeBack)} {
		if s.trials.budget[t] > 0 {
			return false
		}
	}
	for _, p := range s.programs {
		for _, in := range p {
			if in.session {
				return false
			}
		}
	}
	return true
}

func TestADriftIsEachRateThatItAllows(t *testing.T) {
	compared, broken, doubtful := 0, 0, 0
	for n := range *driftCases {
		s := settings.Example(*oracleFirst + n)
		if !s.drifts() || len(s.scenario().Faults) >= model.MaxFaults {
			continue
		}
		for _, stores := range []bool{true, false} {
			// Every clock of the kind may drift.
			clocks := 2
			drift := faults.StoreClockDrift(clocks, faults.MaxDrift)
			if !stores {
				clocks = s.nodes + s.updates
				drift = faults.ClockDrift(clocks, faults.MaxDrift)
			}
			wide := s.scenario()
			wide.Faults = append(wide.Faults, drift)
			got, ok := drifting(t, s, wide)
			if !ok {
				continue
			}
			for _, halves := range []int{1, 2, 3} {
				want, ok := drifting(t, s, s.stretched(stores, halves))
				if !ok {
					continue
				}
				compared++
				for i := range want.Verdicts {
					g, w := &got.Verdicts[i], &want.Verdicts[i]
					if g.Verdict == scheduler.Inconclusive {
						doubtful++
					}
					if w.Verdict != scheduler.Violated || w.Property == "answered" {
						continue
					}
					broken++
					if g.Verdict == scheduler.Holds || g.Verdict == scheduler.Violated && g.Minimal && g.Faults > w.Faults+clocks {
						t.Errorf("case %d, clocks of stores %t: %s is %s with %d faults where they drift, and violated with %d where they measure %d halves\n%s", *oracleFirst+n, stores, g.Property, g.Verdict, g.Faults, w.Faults, halves, s)
					}
				}
			}
		}
	}
	t.Logf("%d comparisons, %d of violations; %d verdicts inconclusive", compared, broken, doubtful)
	if compared < *driftCases/3 {
		t.Errorf("only %d comparisons of %d cases", compared, *driftCases)
	}
}

// drifting returns what is said of the properties of the setting; false if the search is
// too large or useless.
func drifting(t *testing.T, s *setting, c scheduler.Scenario) (*scheduler.Report, bool) {
	t.Helper()
	r, err := scheduler.Check(context.Background(), c, s.properties(), scheduler.Options{MaxStates: 20_000})
	var useless *scheduler.ProtocolError
	if errors.As(err, &useless) {
		return nil, false
	}
	if err != nil {
		t.Fatal(fmt.Errorf("%w\n%s", err, s))
	}
	return r, r.Exhausted
}
