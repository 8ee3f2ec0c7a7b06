package scheduler_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// noValues knows nothing of clocks: sorting then compares discrete parts alone.
type noValues struct{}

func (noValues) Range(uint8) (int32, int32) { return 0, 0 }

// What is stored is the state: decoding gives it back, and it is in canonical
// form already.
func TestStoredStatesDecodeToThemselvesAndAreCanonical(t *testing.T) {
	for _, e := range catalogue.All() {
		s := scheduler.NewScenario(e.New())
		s.Faults = []model.Fault{faults.Crash(1), faults.Pause(1, 6*time.Second)}
		count := 0
		o := scheduler.Visit(scheduler.Options{}, func(s *model.State, rules *model.Rules) {
			count++
			want := s.Encode(nil)
			var decoded model.State
			decoded.Decode(want, len(s.Nodes), len(s.Memory))
			if got := decoded.Encode(nil); !bytes.Equal(got, want) {
				t.Fatalf("%s: the state\n%x\ndecodes to\n%x", e.Name, want, got)
			}
			source := rules.Canonical(&decoded, noValues{}, false, nil)
			for clock, from := range source {
				if int(from) != clock+1 {
					t.Fatalf("%s: clocks of a canonical state are renumbered: %v", e.Name, source)
				}
			}
			if got := decoded.Encode(nil); !bytes.Equal(got, want) {
				t.Fatalf("%s: canonical form is not idempotent:\n%x\n%x", e.Name, want, got)
			}
		})
		if _, err := scheduler.Check(context.Background(), s, checks.All(1), o); err != nil {
			t.Fatal(err)
		}
		if count == 0 {
			t.Fatalf("%s: no state was visited", e.Name)
		}
	}
}

// The hot path allocates nothing: what is allocated is for learning, for reports
// and for blocks of stored states, and does not grow with the transitions.
func TestASearchAllocatesNothingPerTransition(t *testing.T) {
	s := scheduler.NewScenario(&catalogue.Lease{})
	s.Faults = []model.Fault{faults.Pause(1, 12*time.Second)}
	transitions := int64(0)
	allocations := testing.AllocsPerRun(1, func() {
		s.Nodes = 3
		r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoForeignRelease()}, scheduler.Options{})
		if err != nil {
			t.Fatal(err)
		}
		transitions = r.Stats.Transitions
	})
	base := testing.AllocsPerRun(1, func() {
		s.Nodes = 2
		if _, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoForeignRelease()}, scheduler.Options{}); err != nil {
			t.Fatal(err)
		}
	})
	if perTransition := (allocations - base) / float64(transitions); perTransition > 0.01 {
		t.Errorf("%.3f allocations a transition", perTransition)
	}
}

// Every string has one number, and every number its string.
func TestTheTableTellsStringsApart(t *testing.T) {
	table := scheduler.NewTable()
	key := func(i int) []byte { return []byte{byte(i), byte(i >> 8), byte(i % 3)} }
	for i := range 20000 {
		if n := table.Find(key(i)); n != uint32(i) {
			t.Fatalf("string %d has number %d", i, n)
		}
	}
	for i := range 20000 {
		if n := table.Find(key(i)); n != uint32(i) || !bytes.Equal(table.Key(n), key(i)) {
			t.Fatalf("string %d has number %d now", i, n)
		}
	}
}

// Concrete times are as early as possible, and round where there is room.
func TestInstantsAreRoundWhereThereIsRoom(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct{ least, most, want time.Duration }{
		{0, 5, 0}, {3, 5, 3}, {3, 12, 10}, {995, 1005, 1000}, {2001, 1 << 30, 3000}, {6990, 6990, 6990},
	} {
		if got := scheduler.Roundest(c.least*ms, c.most*ms, ms); got != c.want*ms {
			t.Errorf("from %d to %d ms: %s, want %d ms", c.least, c.most, got, c.want)
		}
	}
	if got := scheduler.Roundest(300*ms, 1200*ms, 300*ms); got != 300*ms {
		t.Errorf("with ticks of 300 ms: %s", got)
	}
}
