// Package drawn checks protocols whose parameters, and whatever else a scenario has, are drawn
// by rapid: a property test over designs. A failure shrinks to the simplest parameters that
// still violate a property, and comes with the minimal trace for those.
//
//	func TestLease(t *testing.T) {
//		drawn.Verify(t, func(t *rapid.T) checks.Scenario {
//			ttl := drawn.Duration(time.Second, time.Minute).Draw(t, "ttl")
//			s := checks.NewScenario(&Lease{TTL: ttl, Heartbeat: ttl / 3})
//			s.Faults = []model.Fault{faults.Crash(1)}
//			return s
//		}, checks.NoForeignRelease())
//	}
//
// How many scenarios are drawn is said by the flags of rapid: go test -rapid.checks=1000.
// The package may import checks and what that imports, and rapid; nothing imports it but tests.
package drawn

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

// Verify draws scenarios and fails the test if a property is violated in one of them, or
// could not be explored to the end: each search is limited by the environment as that of
// [checks.Verify] is. Without properties it checks all that [checks.All] returns.
//
// What is reported is the scenario to which rapid has shrunk the failure, in which draws are
// as simple as they can be, and the counterexample there. Its trace is kept as Verify keeps
// it; it has the parameters, and lockstep replay runs it again.
func Verify(t *testing.T, draw func(*rapid.T) checks.Scenario, properties ...model.Property) {
	t.Helper()
	var last *scheduler.Verdict
	defer func() {
		// rapid runs the simplest failure last.
		if t.Failed() && last != nil {
			t.Log("lockstep: " + checks.Keep(t, last))
		}
	}()
	rapid.Check(t, func(t *rapid.T) {
		text, v := check(draw(t), properties)
		if text != "" {
			last = v
			t.Fatal("lockstep: " + text)
		}
	})
}

// check explores a scenario and says in words what is wrong, empty for nothing: what is
// violated, with the counterexample, and what was not explored to the end. It returns the
// first verdict with a counterexample, nil if there is none.
func check(s checks.Scenario, properties []model.Property) (text string, first *scheduler.Verdict) {
	r, err := checks.Explore(context.Background(), s, properties...)
	if err != nil {
		return err.Error(), nil
	}
	var wrong []string
	for i := range r.Verdicts {
		switch v := &r.Verdicts[i]; v.Verdict {
		case scheduler.Violated:
			if first == nil {
				first = v
			}
			wrong = append(wrong, fmt.Sprintf("with %s\n%s", parameters(r), checks.Violation(v)))
		case scheduler.Inconclusive:
			wrong = append(wrong, fmt.Sprintf("with %s\n%s is inconclusive after %d states: %s", parameters(r), v.Property, r.Stats.States, r.CutOff+v.Reason))
		}
	}
	return strings.Join(wrong, "\n"), first
}

// parameters are those of the protocol, in a line.
func parameters(r *scheduler.Report) string {
	return strings.Join(append([]string{r.Protocol}, model.ParameterWords(r.Parameters)...), ", ")
}

// Duration draws a duration from least to most that is a whole number of the largest unit of
// 1 h, 1 min, 1 s, 1 ms and 1 ns of which both are: numbers that are easy to read, and that
// let the search count in large ticks. It shrinks towards least.
func Duration(least, most time.Duration) *rapid.Generator[time.Duration] {
	unit := time.Nanosecond
	for _, u := range []time.Duration{time.Hour, time.Minute, time.Second, time.Millisecond} {
		if least%u == 0 && most%u == 0 {
			unit = u
			break
		}
	}
	return rapid.Map(rapid.Int64Range(int64(least/unit), int64(most/unit)), func(n int64) time.Duration { return time.Duration(n) * unit })
}
