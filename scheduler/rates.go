package scheduler

import (
	"math/big"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/model/zone"
)

// A run is possible with clocks that drift if there is one rate of each with which its
// moves can happen at some instants. The unknowns are how long a second of each clock
// takes. For given lengths the instants are a shortest-path problem: they exist unless a
// cycle of differences is negative. The sum along a cycle is linear in the lengths, so
// each negative cycle that is met gives a linear constraint on them, which is added
// before the next lengths are tried (the cutting planes of J. E. Kelley, "The
// Cutting-Plane Method for Solving Convex Programs", 1960). Arithmetic is exact.

// maxCuts is how many cycles are tried before the search for rates is given up.
const maxCuts = 200

// secondsOf returns lengths of a second of the clocks that drift with which the run is
// possible, whole numbers of nanoseconds as round as possible. It is false if none are
// found.
func secondsOf(path []pathMove, tick model.Tick, rates *driftRates) (seconds, bool) {
	clocks, edges := driftingEdges(path, tick)
	if len(clocks) == 0 {
		return nil, true
	}
	p := &polytope{}
	for v, c := range clocks {
		least, most := rates.seconds(model.Meter{Drift: c.drift, Store: c.store})
		p.addBox(v, len(clocks), least, most)
		p.step = append(p.step, edges.step(v))
		p.down = append(p.down, c.drift == model.Fast)
	}
	for range maxCuts {
		lengths, ok := p.solve(len(clocks))
		if !ok {
			return nil, false
		}
		cycle := edges.negative(len(path)+1, lengths)
		if cycle == nil {
			result := seconds{}
			for v, c := range clocks {
				result[c] = lengths[v]
			}
			return result, true
		}
		p.cut(cycle, len(clocks))
	}
	return nil, false
}

// driftEdge says that the instant to is at most so much later than the instant from: a
// number of nanoseconds by a clock, -1 for true time.
type driftEdge struct {
	from, to int
	most     time.Duration
	clock    int
}

type driftEdges []driftEdge

// driftingEdges returns the differences of a run, and the clocks that drift by which some
// are measured.
func driftingEdges(path []pathMove, tick model.Tick) ([]driftingClock, driftEdges) {
	var clocks []driftingClock
	var edges driftEdges
	for n, step := range path {
		edges = append(edges, driftEdge{from: n + 1, to: 0, clock: -1})
		for _, d := range step.constraints {
			clock := -1
			if d.by != (driftingClock{}) {
				if clock = slices.Index(clocks, d.by); clock < 0 {
					clock = len(clocks)
					clocks = append(clocks, d.by)
				}
			}
			edges = append(edges, driftEdge{d.i, d.k, -tick.Duration(model.Ticks(d.least)), clock})
			if d.most < zone.Infinity {
				edges = append(edges, driftEdge{d.k, d.i, tick.Duration(model.Ticks(d.most)), clock})
			}
		}
	}
	return clocks, edges
}

// step returns of what the length of a second of a clock must be a multiple, so that all
// its durations are whole numbers of nanoseconds.
func (e driftEdges) step(clock int) time.Duration {
	common := time.Second
	for _, edge := range e {
		if edge.clock == clock {
			common = gcd(common, edge.most)
		}
	}
	return time.Second / common
}

// weight is how much later the edge allows, for lengths of seconds.
func (e *driftEdge) weight(lengths []time.Duration) time.Duration {
	if e.clock < 0 {
		return e.most
	}
	// The length is a multiple of the step of the clock, so nothing is lost.
	common := gcd(time.Second, e.most)
	return e.most / common * (lengths[e.clock] / (time.Second / common))
}

// negative returns a cycle of edges whose sum is negative, nil if there is none, by the
// algorithm of Bellman and Ford.
func (e driftEdges) negative(instants int, lengths []time.Duration) []*driftEdge {
	distance := make([]time.Duration, instants)
	before := make([]*driftEdge, instants)
	last := -1
	for range instants {
		last = -1
		for i := range e {
			edge := &e[i]
			if d := distance[edge.from] + edge.weight(lengths); d < distance[edge.to] {
				distance[edge.to], before[edge.to], last = d, edge, edge.to
			}
		}
		if last < 0 {
			return nil
		}
	}
	for range instants { // now it is on the cycle
		last = before[last].from
	}
	var cycle []*driftEdge
	for at := last; len(cycle) == 0 || at != last; at = before[at].from {
		cycle = append(cycle, before[at])
	}
	return cycle
}

// polytope is a set of linear constraints on the lengths of seconds: of each row, the sum
// of the coefficients times the lengths, and of the last number, is not negative.
type polytope struct {
	rows [][]*big.Rat
	// step is of what each length must be a multiple; down says that the largest of the
	// roundest is wanted, the one nearest to a second.
	step []time.Duration
	down []bool
}

func (p *polytope) addBox(v, clocks int, least, most time.Duration) {
	for _, bound := range []struct{ coefficient, constant int64 }{{1, -int64(least)}, {-1, int64(most)}} {
		row := newRow(clocks)
		row[v].SetInt64(bound.coefficient)
		row[clocks].SetInt64(bound.constant)
		p.rows = append(p.rows, row)
	}
}

func newRow(clocks int) []*big.Rat {
	row := make([]*big.Rat, clocks+1)
	for i := range row {
		row[i] = new(big.Rat)
	}
	return row
}

// cut adds that the sum along the cycle is not negative.
func (p *polytope) cut(cycle []*driftEdge, clocks int) {
	row := newRow(clocks)
	for _, edge := range cycle {
		at, sum := clocks, new(big.Rat).SetInt64(int64(edge.most))
		if edge.clock >= 0 {
			at = edge.clock
			sum.Quo(sum, new(big.Rat).SetInt64(int64(time.Second)))
		}
		row[at].Add(row[at], sum)
	}
	p.rows = append(p.rows, row)
}

// solve picks a length for each clock, one after the other: in the range that is left to
// it when those after it are eliminated.
func (p *polytope) solve(clocks int) ([]time.Duration, bool) {
	var lengths []time.Duration
	rows := p.rows
	for v := range clocks {
		alone := rows
		for later := clocks - 1; later > v; later-- {
			var ok bool
			if alone, ok = eliminate(alone, later); !ok {
				return nil, false
			}
		}
		least, most := rangeOf(alone, v)
		length, ok := round(least, most, p.step[v], p.down[v])
		if !ok {
			return nil, false
		}
		lengths = append(lengths, length)
		rows = substitute(rows, v, length)
	}
	return lengths, true
}

// maxRows bounds what elimination may make of the constraints.
const maxRows = 20000

// eliminate returns what the constraints say of the other lengths, by the method of
// Fourier and Motzkin; false if that is too much.
func eliminate(rows [][]*big.Rat, v int) ([][]*big.Rat, bool) {
	var kept, above, below [][]*big.Rat
	for _, row := range rows {
		switch row[v].Sign() {
		case 0:
			kept = append(kept, row)
		case 1:
			above = append(above, row)
		default:
			below = append(below, row)
		}
	}
	if len(above)*len(below)+len(kept) > maxRows {
		return nil, false
	}
	for _, a := range above {
		for _, b := range below {
			row := newRow(len(a) - 1)
			for k := range row {
				// a/a[v] - b/b[v], where b[v] is negative.
				row[k].Sub(new(big.Rat).Quo(a[k], a[v]), new(big.Rat).Quo(b[k], b[v]))
			}
			kept = append(kept, row)
		}
	}
	return kept, true
}

// rangeOf returns between which values the length can lie if it is the only one that the
// constraints are about; the range may be empty. The box bounds it on both sides.
func rangeOf(rows [][]*big.Rat, v int) (least, most *big.Rat) {
	for _, row := range rows {
		constant := row[len(row)-1]
		if row[v].Sign() == 0 {
			if constant.Sign() < 0 {
				return big.NewRat(1, 1), big.NewRat(0, 1)
			}
			continue
		}
		bound := new(big.Rat).Neg(new(big.Rat).Quo(constant, row[v]))
		switch {
		case row[v].Sign() > 0 && (least == nil || bound.Cmp(least) > 0):
			least = bound
		case row[v].Sign() < 0 && (most == nil || bound.Cmp(most) < 0):
			most = bound
		}
	}
	return least, most
}

// substitute returns the constraints with a length given.
func substitute(rows [][]*big.Rat, v int, length time.Duration) [][]*big.Rat {
	result := make([][]*big.Rat, len(rows))
	for i, row := range rows {
		result[i] = slices.Clone(row)
		last := len(row) - 1
		known := new(big.Rat).Mul(row[v], new(big.Rat).SetInt64(int64(length)))
		result[i][last] = known.Add(known, row[last])
		result[i][v] = new(big.Rat)
	}
	return result
}

// round returns the roundest multiple of step in the range: down says that the largest
// of these is wanted, else the smallest.
func round(least, most *big.Rat, step time.Duration, down bool) (time.Duration, bool) {
	low, high := ceiling(least), floor(most)
	for unit := time.Second; unit >= 1; unit /= 10 {
		multiple := unit / gcd(unit, step) * step
		at := (low + multiple - 1) / multiple * multiple
		if down {
			at = high / multiple * multiple
		}
		if at >= low && at <= high {
			return at, true
		}
	}
	return 0, false
}

func floor(r *big.Rat) time.Duration {
	return time.Duration(new(big.Int).Div(r.Num(), r.Denom()).Int64())
}

func ceiling(r *big.Rat) time.Duration {
	return -floor(new(big.Rat).Neg(r))
}

// gcd returns the greatest common divisor of two durations, of which the first is positive.
func gcd(a, b time.Duration) time.Duration { return model.Tick{}.With(a, b.Abs()).Size() }
