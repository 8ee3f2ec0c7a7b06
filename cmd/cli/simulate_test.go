package cli

import (
	"testing"
	"time"

	"lockstep/scheduler"
)

// Progress says how long it may still take: as long for each part as for those before.
func TestProgressOfASimulationEstimatesTheTimeLeft(t *testing.T) {
	got := progressText("lease", scheduler.SimulateProgress{Runs: 3, Share: 0.25}, 12, 10*time.Second)
	if want := "lease, 10.0 s: 3 of 12 runs, 25 %, about 30s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := progressText("", scheduler.SimulateProgress{}, 1, time.Second); got != "1.0 s: 0 of 1 runs, 0 %" {
		t.Errorf("%q", got)
	}
}

// Durations are printed with four digits or so.
func TestDurationsOfASimulationAreShort(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0s", 7: "7ns", 1234: "1.234µs", 12345678: "12.35ms", 9999499: "9.999ms", 26.149e9: "26.15s", 72.07e9: "1m12.07s",
	} {
		if got := shortDuration(ns); got != want {
			t.Errorf("%v ns are printed %s, want %s", ns, got, want)
		}
	}
}

// The table of all protocols has room on 80 columns, whatever is violated.
func TestTheTableOfAllFitsTheTerminal(t *testing.T) {
	var violated []scheduler.PropertyCount
	for _, name := range []string{"mutual-exclusion", "no-stale-overwrite", "no-foreign-release", "rebuild-bound"} {
		violated = append(violated, scheduler.PropertyCount{Property: name, Runs: 1})
	}
	run := &scheduler.RunResult{RebuildsPerExpiry: []int{100000}, Commands: 18353058}
	run.Waits.P50, run.Waits.P99, run.Waits.Max = 387654321, 62345*time.Millisecond, 62345*time.Millisecond
	row := simulatedRow{
		scheduler.Simulation{Name: "singleflight"},
		&scheduler.Simulated{Runs: []*scheduler.RunResult{run}, Violations: violated, RebuildBound: 100000},
	}
	checkFits(t, "simulate --all", allTable([]simulatedRow{row}, 1, len("violated")), 80)
}
