package scheduler_test

import (
	"context"
	"fmt"
	"time"

	"lockstep/model"
	"lockstep/scheduler"
)

// comparableWorlds is how large an enumeration may be to be compared state by
// state.
const comparableWorlds = 6_000

// never is a property that nothing violates, so that a search ends nowhere.
type never struct{}

func (never) Name() string                                           { return "never" }
func (never) Rule() string                                           { return "nothing is violated" }
func (never) Vacuous() string                                        { return "" }
func (never) Explain(*model.Trace) string                            { return "" }
func (never) Memory() int                                            { return 0 }
func (never) Check(*model.State, *model.Event, []byte) model.Outcome { return 0 }

// compareStates compares the reachable states, without what clocks and properties
// know, with those of the enumeration.
func compareStates(s *setting, e *enumeration) error {
	// What a local state is for the oracle is not known where times are held; how long a
	// process has waited that gives up by itself the engine forgets here and there.
	if len(e.worlds) > comparableWorlds || s.dates() || s.uses(vWithCancel) || s.uses(vWithTimeout) || s.limits() {
		return nil
	}
	want := map[string]*world{}
	for _, w := range e.worlds {
		d := w.discrete()
		want[d.key()] = d
	}
	y := symbols{s, map[model.LocalID]*symbol{}}
	got := map[string]bool{}
	var extra *world
	options := scheduler.Options{NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true, MaxTime: 20 * time.Second, MaxStates: 300_000}
	options.Visit(func(state *model.State, l scheduler.Learner) {
		d := y.world(state, l)
		key := d.key()
		got[key] = true
		if want[key] == nil && extra == nil {
			extra = d
		}
	})
	r, err := scheduler.Check(context.Background(), s.scenario(), []model.Property{never{}}, options)
	switch {
	case err != nil:
		return err
	case !r.Exhausted:
		return nil
	case extra != nil:
		return fmt.Errorf("the engine comes to a state to which the enumeration does not: %+v", *extra)
	}
	for key, w := range want {
		if !got[key] {
			return fmt.Errorf("the engine does not come to a state of the enumeration (of %d and %d): %+v", len(want), len(got), *w)
		}
	}
	return nil
}
