package scheduler

import (
	"context"
	"errors"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// hopelessStates is how many states are explored at most to find out whether a run can still
// be saved.
const hopelessStates = 1_000_000

// errUndecided says that it was not found out whether a run can still be saved.
var errUndecided = errors.New("it is not decided whether there is a way out: too much can still happen, or clocks drift")

// hopeless reports whether the run has come to a dead end: whether no continuation without
// further faults leads to a state that is settled, nor to rest if the property is
// [model.Endless]. All continuations are explored, with the code as it is now.
func (r *replayer) hopeless(d model.DeadEnd) (bool, error) {
	if d.Settled(&r.state) {
		return false, nil
	}
	cells, ok := r.point()
	if !ok {
		return false, errUndecided
	}
	x := &explorer{
		options: Options{MaxStates: hopelessStates, NoSymmetry: true}, started: time.Now(),
		deadEnds: []model.DeadEnd{d}, population: r.scenario.population(), learner: r.namer.learner, rates: r.rates,
	}
	x.expander = newExpander(x, r.rules)
	err := x.runFrom(context.Background(), func() error {
		x.to.Copy(&r.state)
		x.to.Left = [model.MaxFaults]uint8{}
		x.mid.Load(len(r.clocks), cells)
		return nil
	})
	switch {
	case err != nil:
		return false, err
	case x.limit != "":
		return false, errUndecided
	}
	return !x.away(0)[0], nil
}

// point returns the zone that has nothing but the values of the clocks, false if those are no
// whole numbers of ticks, or clocks drift.
func (r *replayer) point() (cells []zone.Bound, ok bool) {
	if r.state.Drifts {
		return nil, false
	}
	values := make([]zone.Bound, len(r.clocks))
	for c := 1; c < len(values); c++ {
		if !r.tick.Fits(r.clocks[c]) {
			return nil, false
		}
		t, err := r.tick.Ticks(r.clocks[c])
		if err != nil {
			return nil, false
		}
		values[c] = zone.Bound(t)
	}
	for _, a := range values {
		for _, b := range values {
			cells = append(cells, a-b)
		}
	}
	return cells, true
}
