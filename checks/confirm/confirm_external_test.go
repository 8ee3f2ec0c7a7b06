package confirm_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/confirm"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

func mini(t *testing.T) confirm.Server {
	t.Helper()
	s, err := confirm.Mini()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// A server does what a counterexample says that the store did: those of all protocols under
// all faults.
func TestCounterexamplesAreConfirmed(t *testing.T) {
	compared, traces := 0, 0
	for _, k := range faults.Kinds() {
		took := model.Range{Max: 12 * time.Second}
		if k.Shape == faults.CountRate {
			took.Max = 100 * time.Millisecond
		}
		for _, name := range []string{"nottl", "lease", "setnx", "fixedttl"} {
			e, _ := catalogue.Find(name)
			s := scheduler.NewScenario(e.New())
			s.Faults = []model.Fault{k.New(1, took)}
			r, err := scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxStates: 20_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Verdicts {
				if v.Trace == nil {
					continue
				}
				got, err := confirm.Run(context.Background(), mini(t), v.Trace, confirm.Options{})
				if err != nil || got.Difference != nil {
					t.Errorf("%s, %s, %s: %v, %+v", name, k.Name, v.Property, err, got.Difference)
					continue
				}
				traces++
				compared += got.Compared
			}
		}
	}
	if traces < 100 || compared < 500 {
		t.Errorf("%d traces, %d replies", traces, compared)
	}
	t.Logf("%d replies in %d traces", compared, traces)
}

// violation returns a counterexample to mutual exclusion.
func violation(t *testing.T) *model.Trace {
	t.Helper()
	r, err := scheduler.Check(context.Background(), scheduler.NewScenario(&catalogue.FixedTTL{}), []model.Property{checks.NoStaleOverwrite()}, scheduler.Options{})
	if err != nil || r.Verdicts[0].Trace == nil {
		t.Fatal(err)
	}
	return r.Verdicts[0].Trace
}

// What the server does differently is said, with its step.
func TestADifferenceIsSaid(t *testing.T) {
	trace := violation(t)
	for i := range trace.Steps {
		s := &trace.Steps[i]
		if s.Operation != "Get" {
			continue
		}
		s.Observation = "v7"
		got, err := confirm.Run(context.Background(), mini(t), trace, confirm.Options{})
		if err != nil || got.Difference == nil || got.Difference.Step != i+1 || got.Difference.Want != "v7" || got.Difference.Got != "missing" {
			t.Errorf("%v, %+v", err, got)
		}
		break
	}
	trace = violation(t)
	for i := range trace.Steps {
		if s := &trace.Steps[i]; s.Operation == "SetNX" {
			s.Changes[0].AfterTTL += time.Second
			got, err := confirm.Run(context.Background(), mini(t), trace, confirm.Options{})
			if err != nil || got.Difference == nil || got.Difference.Step != i+1 || !strings.Contains(got.Difference.Want, "a TTL of 6s") {
				t.Errorf("%v, %+v", err, got)
			}
			break
		}
	}
}

// Nothing of anybody else's is touched: without a prefix a server with keys is refused, and
// with one only what was set is removed.
func TestWhatIsThereIsLeftAlone(t *testing.T) {
	s, ctx := mini(t), context.Background()
	if _, err := s.Do(ctx, "SET", "mine", "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := confirm.Run(ctx, s, violation(t), confirm.Options{}); !errors.Is(err, confirm.ErrNotEmpty) {
		t.Errorf("%v", err)
	}
	if got, err := confirm.Run(ctx, s, violation(t), confirm.Options{Prefix: "lockstep:"}); err != nil || got.Difference != nil {
		t.Errorf("%v, %+v", err, got)
	}
	if size, _ := s.Do(ctx, "DBSIZE"); size != int64(1) {
		t.Errorf("%v keys are left", size)
	}
}
