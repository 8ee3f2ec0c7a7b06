package scheduler

import (
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// differences bound instants, of which 0 is the beginning, by few of the others each: for runs
// that are too long for a [schedule], which has a bound for each two.
type differences struct {
	instants int
	bounds   []bound
}

// bound says that the instant to is later than the instant from by at most most.
type bound struct {
	from, to int
	most     time.Duration
}

// add adds a difference of a run without clocks that drift, in ticks.
func (d *differences) add(by difference, tick model.Tick) {
	d.bounds = append(d.bounds, bound{by.i, by.k, -tick.Duration(model.Ticks(by.least))})
	if by.most < zone.Infinity {
		d.bounds = append(d.bounds, bound{by.k, by.i, tick.Duration(model.Ticks(by.most))})
	}
}

// latest returns by how much each instant is later than the one given, at most; never for those
// that nothing bounds. It is false if no instants satisfy the differences. (R. Bellman, "On a
// routing problem", 1958; the sweeps go forth and back, since most differences are of
// neighbours.)
func (d *differences) latest(than int) ([]time.Duration, bool) {
	return d.shortest(than, func(b *bound) (from, to int) { return b.from, b.to })
}

// earliest returns by how much each instant is earlier than the one given, at most.
func (d *differences) earliest(than int) ([]time.Duration, bool) {
	return d.shortest(than, func(b *bound) (from, to int) { return b.to, b.from })
}

func (d *differences) shortest(from int, ends func(b *bound) (from, to int)) ([]time.Duration, bool) {
	distance := make([]time.Duration, d.instants+1)
	for i := range distance {
		distance[i] = never
	}
	distance[from] = 0
	for range d.instants + 2 {
		changed := false
		relax := func(b *bound) {
			i, k := ends(b)
			if distance[i] < never && distance[i]+b.most < distance[k] {
				distance[k] = distance[i] + b.most
				changed = true
			}
		}
		for i := range d.bounds {
			relax(&d.bounds[i])
		}
		for i := len(d.bounds) - 1; i >= 0; i-- {
			relax(&d.bounds[i])
		}
		if distance[from] < 0 {
			return nil, false
		}
		if !changed {
			return distance, true
		}
	}
	return nil, false
}
