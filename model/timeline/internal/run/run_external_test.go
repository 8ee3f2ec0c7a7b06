package run_test

import (
	"testing"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

func follow(steps ...model.TraceStep) *run.Run {
	r := run.New()
	for i := range steps {
		r.Follow(&steps[i])
	}
	return r
}

// acquires is a step by which n0/0 takes a lock of 10 s.
var acquires = model.TraceStep{
	Time: 2 * time.Second, Kind: "effect", Node: "n0", Process: "n0/0",
	Changes: []model.TraceChange{{Key: "store/lock", After: "#1", AfterTTL: 10 * time.Second}},
	Marks:   []model.TraceMark{{Kind: "acquired", Subject: "store/lock"}},
}

// Whoever crashes, by a fault or since a process of the node has panicked, believes nothing more.
func TestACrashEndsBeliefs(t *testing.T) {
	for _, end := range []model.TraceStep{
		{Kind: "fault", Fault: "crash", Node: "n0"},
		{Kind: "recovery", Fault: "panic", Node: "n0"},
	} {
		if r := follow(acquires); !r.Holds("n0") || !r.Acts("n0") {
			t.Error("n0 does not hold the lock")
		}
		if r := follow(acquires, end); r.Holds("n0") || r.Acts("n0") || r.Status["n0"] != run.Crashed {
			t.Errorf("after %s %s, n0 goes on: %v", end.Kind, end.Fault, r)
		}
	}
}

// The end of the starvation of a process does not end the pause of its node.
func TestEachRecoveryEndsItsOwnFault(t *testing.T) {
	pause := model.TraceStep{Kind: "fault", Fault: "pause", Node: "n0"}
	fed := model.TraceStep{Kind: "recovery", Fault: "starve", Node: "n0", Process: "n0/0"}
	if r := follow(pause, fed); r.Status["n0"] != run.Paused {
		t.Error("n0 runs")
	}
	if r := follow(pause, model.TraceStep{Kind: "recovery", Fault: "pause", Node: "n0"}); r.Status["n0"] != run.Running {
		t.Error("n0 does not run")
	}
}

// What is left of a TTL follows the clock of its store.
func TestATTLRunsByTheClockOfItsStore(t *testing.T) {
	for _, c := range []struct {
		name  string
		fault model.TraceStep
		want  time.Duration
	}{
		{"true", model.TraceStep{}, 6 * time.Second},
		{"slow", model.TraceStep{Kind: "fault", Fault: "store-clock-drift", Arguments: []string{"store"}, Second: 2 * time.Second}, 8 * time.Second},
		{"frozen", model.TraceStep{Kind: "fault", Fault: "store-clock-freeze", Arguments: []string{"store"}, Time: 3 * time.Second}, 9 * time.Second},
		{"another", model.TraceStep{Kind: "fault", Fault: "store-clock-freeze", Arguments: []string{"cache"}, Time: 3 * time.Second}, 6 * time.Second},
	} {
		if left, ok := follow(acquires, c.fault).Left("store/lock", 6*time.Second); !ok || left != c.want {
			t.Errorf("%s: %s are left, not %s", c.name, left, c.want)
		}
	}
}
