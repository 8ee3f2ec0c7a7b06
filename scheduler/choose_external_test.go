package scheduler_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Each choice is tried, and no other.
func TestEachChoiceIsTriedAndNoOther(t *testing.T) {
	for n := -1; n <= 3; n++ {
		code := func(c *protocol.Client, reached func()) {
			if c.Choose(3) == n {
				reached()
			}
		}
		if got, want := reachableOnce(t, code), n >= 0 && n < 3; got != want {
			t.Errorf("%d of 3 is chosen: %t", n, got)
		}
	}
}

// A choice that follows a wait at once is tried whole, with and without merging.
func TestAChoiceAfterAWaitIsTriedWhole(t *testing.T) {
	for _, o := range []scheduler.Options{{}, {SeparateWaits: true}} {
		s := scheduler.NewScenario(orphan{func(c *protocol.Client, reached func()) {
			c.Sleep(time.Second)
			if c.Choose(2) == 1 && c.Choose(3) == 2 {
				reached()
			}
		}})
		s.Nodes, s.Updates = 1, 0
		r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoOrphanedLock()}, o)
		if err != nil {
			t.Fatal(err)
		}
		// Sleep, two choices, the Set.
		if v := r.Verdicts[0]; v.Verdict != scheduler.Violated || v.Steps != 4 {
			t.Errorf("%+v: %s after %d steps", o, v.Verdict, v.Steps)
		}
	}
}

func TestAChoiceAmongNoneIsMisuse(t *testing.T) {
	for _, n := range []int{0, 17} {
		s := scheduler.NewScenario(orphan{func(c *protocol.Client, _ func()) { c.Choose(n) }})
		_, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoOrphanedLock()}, scheduler.Options{})
		if err == nil || !strings.Contains(err.Error(), "it must be 1 to 16") {
			t.Errorf("Choose(%d): %v", n, err)
		}
	}
}
