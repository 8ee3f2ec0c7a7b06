package scheduler

import (
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// driftRates is by how much a second of the clocks of nodes and of stores may be wrong.
type driftRates struct{ node, store time.Duration }

// ratesOf returns what the faults of the rules say.
func ratesOf(r *model.Rules) *driftRates {
	rates := &driftRates{}
	if n := r.NodeDrift; n > 0 {
		rates.node = r.Faults[n-1].(model.Drifting).PerSecond()
	}
	if n := r.StoreDrift; n > 0 {
		rates.store = r.Faults[n-1].(model.Drifting).PerSecond()
	}
	return rates
}

// doubt is about what a property says of a run for which no rates of the clocks were
// found.
type doubt struct {
	tries int
	// faults and steps are the least cost of such a run.
	faults, steps int
}

// maxDoubts is for how many runs rates are looked for in vain, for one property: each of
// the clocks that drift is taken by itself in the search, so there can be very many.
const maxDoubts = 200

// drifts reports whether clocks can drift.
func (x *explorer) drifts() bool { return x.rules.NodeDrift+x.rules.StoreDrift > 0 }

// possible reports whether the run to a stored state, and a step further if there is one,
// is possible with one rate of each clock that drifts in it.
func (x *explorer) possible(d *doubt, state uint32, extra *ordinal, faults, steps int) (bool, error) {
	if !x.drifts() || faults == 0 {
		return true, nil
	}
	if d.tries < maxDoubts {
		path, err := newExpander(x, x.rules).path(state, extra)
		if err != nil {
			return false, err
		}
		if _, ok := secondsOf(path, x.learner.tick, x.rates); ok {
			return true, nil
		}
	}
	if d.tries == 0 || faults < d.faults || faults == d.faults && steps < d.steps {
		d.faults, d.steps = faults, steps
	}
	d.tries++
	return false, nil
}

// cheaper reports whether such a run costs less than one that is certain.
func (d *doubt) cheaper(faults, steps int) bool {
	return d.tries > 0 && (d.faults < faults || d.faults == faults && d.steps < steps)
}

// noRates says why a verdict is inconclusive.
const noRates = "runs that violate it were found, but for none of them one rate of each clock that drifts"

// of returns by how much a second of a clock may be wrong.
func (d *driftRates) of(m model.Meter) time.Duration {
	if m.Store {
		return d.store
	}
	return d.node
}

// widest returns between which values in true time a bound that a clock measures can lie,
// rounded outward to ticks.
func (d *driftRates) widest(m model.Meter, b zone.Bound) (least, most zone.Bound) {
	if m.Drift == model.NoDrift || b <= 0 || b >= zone.Infinity {
		return b, b
	}
	second := int64(time.Second)
	shortest, longest := d.seconds(m)
	return zone.Bound(int64(b) * int64(shortest) / second), zone.Bound((int64(b)*int64(longest) + second - 1) / second)
}

// seconds returns between which lengths in true time a second of a clock that drifts can
// lie.
func (d *driftRates) seconds(m model.Meter) (least, most time.Duration) {
	if m.Drift == model.Fast {
		return time.Second - d.of(m), time.Second
	}
	return time.Second, time.Second + d.of(m)
}

// driftingClocks lets the rules look at a zone in a state in which clocks may drift: what
// they show can be true for some rates.
type driftingClocks struct {
	zone   *zone.Matrix
	rates  *driftRates
	meters []model.Meter
	// on: a clock of the state drifts.
	on bool
}

// look returns how the rules see the zone of a state.
func (d *driftingClocks) look(r *model.Rules, s *model.State, z *zone.Matrix) model.Clocks {
	d.on = s.Drifts
	if !d.on {
		return (*zoneClocks)(z)
	}
	d.zone = z
	d.measure(r, s, z.Dim())
	return d
}

// measure finds out by what the clocks of the state are measured; dim is one more than
// there are.
func (d *driftingClocks) measure(r *model.Rules, s *model.State, dim int) {
	d.meters = append(d.meters[:0], make([]model.Meter, dim)...)
	r.Meters(s, d.meters)
}

func (d *driftingClocks) AtLeast(clock uint8, bound model.Ticks) bool {
	least, _ := d.rates.widest(d.meters[clock], zone.Bound(bound))
	return (*zoneClocks)(d.zone).AtLeast(clock, model.Ticks(least))
}

func (d *driftingClocks) AtMost(clock uint8, bound model.Ticks) bool {
	_, most := d.rates.widest(d.meters[clock], zone.Bound(bound))
	return (*zoneClocks)(d.zone).AtMost(clock, model.Ticks(most))
}

// bound returns what the guard requires of true time at least.
func (d *driftingClocks) bound(g *model.Guard) zone.Bound {
	least, most := d.rates.widest(d.meters[g.Clock], zone.Bound(g.Bound))
	if g.Lower {
		return least
	}
	return most
}

// widen makes bounds of the clocks of the state, by clock, as large as any rate allows.
func (d *driftingClocks) widen(bounds []zone.Bound) {
	for c := 1; c < len(bounds); c++ {
		_, bounds[c] = d.rates.widest(d.meters[c], bounds[c])
	}
}
