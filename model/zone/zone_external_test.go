package zone_test

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"lockstep/model/zone"

	"pgregory.net/rapid"
)

// A fixed seed makes every run of the tests the same run. The command line
// still wins: -rapid.seed=0 explores, -rapid.checks=5000 looks longer.
func init() {
	for name, value := range map[string]string{"rapid.seed": "20120625", "rapid.checks": "500"} {
		if err := flag.Set(name, value); err != nil {
			panic(err)
		}
	}
}

// The oracles.
//
// Most tests compare with a brute-force search over integer valuations. That
// is exact and not a sample, because all bounds are closed integers: a system
// of constraints x_i - x_j <= b with integer b which has a solution has an
// integer one, and its least solution with all x_i >= 0 is at most the weight
// of a simple path from clock 0. So a finite box suffices, and each test says
// which.

// search looks for an integer valuation with 0 <= v[x] <= top which satisfies
// v[i] - v[j] <= cells[i*dim+j] for all i and j, whose values are allowed clock
// by clock (nil allows all), and for which visit returns true. It reports
// whether there is one. The cells need not be canonical. The valuation is
// valid during the visit only.
func search(dim int, cells []zone.Bound, top zone.Bound, allowed func(clock int, value zone.Bound) bool, visit func(v []zone.Bound) bool) bool {
	// No zone of these tests has bounds that large unless an operation broke it;
	// say so rather than search for hours.
	if top > 200 {
		panic(fmt.Sprintf("values up to %d are too many to try, for bounds %v", top, cells))
	}
	v := make([]zone.Bound, dim)
	for i := range dim {
		if cells[i*dim+i] < 0 {
			return false
		}
	}
	var assign func(x int) bool
	assign = func(x int) bool {
		if x == dim {
			return visit(v)
		}
	values:
		for value := zone.Bound(0); value <= top; value++ {
			if allowed != nil && !allowed(x, value) {
				continue
			}
			for y := range x {
				if value-v[y] > cells[x*dim+y] || v[y]-value > cells[y*dim+x] {
					continue values
				}
			}
			v[x] = value
			if assign(x + 1) {
				return true
			}
		}
		return false
	}
	return assign(1)
}

func found([]zone.Bound) bool { return true }

// points returns the integer valuations of the zone in the box up to top.
func points(z *zone.Matrix, top zone.Bound) [][]zone.Bound {
	var all [][]zone.Bound
	search(z.Dim(), z.Cells(), top, nil, func(v []zone.Bound) bool {
		all = append(all, slices.Clone(v))
		return false
	})
	return all
}

func contains(z *zone.Matrix, v []zone.Bound) bool {
	for i := range z.Dim() {
		for j := range z.Dim() {
			if v[i]-v[j] > z.At(i, j) {
				return false
			}
		}
	}
	return true
}

// largest returns the largest magnitude of a finite bound.
func largest(cells []zone.Bound) zone.Bound {
	most := zone.Bound(0)
	for _, b := range cells {
		if b < zone.Infinity {
			most = max(most, b, -b)
		}
	}
	return most
}

// escape returns a bound on the values in the least valuation of inner that
// breaks some one bound of outer, x_i - x_j <= b: its least solution is at most
// the weight of a path from 0 to j in inner, over the new edge x_i >= x_j+b+1,
// and on from i in inner.
func escape(outer, inner []zone.Bound) zone.Bound {
	return 2*largest(inner) + largest(outer) + 1
}

// simulates is v <=LU w as Behrmann, Bouyer, Larsen and Pelánek define it, for
// one clock: w may only lie below v where no guard x >= c can tell, and only
// above v where no guard x <= c can.
func simulates(v, w, lower, upper zone.Bound) bool {
	if w < v && !(w > lower) {
		return false
	}
	if w > v && !(v > upper) {
		return false
	}
	return true
}

// covered is the definition of what Covers decides: for every valuation v of
// inner there is a w in outer with v <=LU w.
//
// Integers suffice for both, although the definition asks for dense time and
// has strict comparisons. For a given v the wanted w are the solutions of the
// constraints of outer and of one interval per clock, whose only strict bound
// is w(x) > L(x). A cycle of constraints contradicts itself if its weight is
// negative, or is zero and it has a strict bound. A simple cycle passes
// through clock 0 only once, hence has at most one strict bound, and an integer
// weight if v is an integer valuation; so w(x) >= L(x)+1 may replace the strict
// bound, and an integer w exists if any does. By the same cycles a v without a
// w is one with v(x) <= b and v(y) - v(x) > c for two clocks and integers b and
// c: one strict bound again, so there is an integer v if there is any.
// TestCoversIsTheSameOnAFinerGrid checks this reasoning.
//
// A v without a w breaks a bound of outer, so escape bounds the v to look at.
// The least w is at most the weight of a path in outer from the lower bound of
// one clock, and that is never above v.
func covered(outer, inner []zone.Bound, dim int, lower, upper []zone.Bound) bool {
	top := escape(outer, inner)
	uncovered := search(dim, inner, top, nil, func(v []zone.Bound) bool {
		allowed := func(x int, w zone.Bound) bool {
			return simulates(v[x], w, lower[x], upper[x])
		}
		return !search(dim, outer, top+largest(outer), allowed, found)
	})
	return !uncovered
}

// included is the definition of what Includes decides.
func included(outer, inner []zone.Bound, dim int) bool {
	z := &zone.Matrix{}
	z.Load(dim, outer)
	return !search(dim, inner, escape(outer, inner), nil, func(v []zone.Bound) bool {
		return !contains(z, v)
	})
}

// reference is a zone computed the slow and obvious way: in 64 bits and with a
// full Floyd-Warshall closure after each step.
type reference struct {
	dim   int
	cells []int64
}

const unbounded = int64(1) << 40

func referenceOf(z *zone.Matrix) *reference {
	r := &reference{z.Dim(), make([]int64, len(z.Cells()))}
	for k, b := range z.Cells() {
		r.cells[k] = int64(b)
		if b >= zone.Infinity {
			r.cells[k] = unbounded
		}
	}
	return r
}

// closure closes the cells and reports whether the zone is not empty.
func (r *reference) closure() bool {
	n := r.dim
	for k := range n {
		for i := range n {
			for j := range n {
				if r.cells[i*n+k] < unbounded && r.cells[k*n+j] < unbounded {
					r.cells[i*n+j] = min(r.cells[i*n+j], r.cells[i*n+k]+r.cells[k*n+j])
				}
			}
		}
	}
	for i := range n {
		if r.cells[i*n+i] < 0 {
			return false
		}
	}
	return true
}

func (r *reference) constrain(i, j int, b zone.Bound) bool {
	r.cells[i*r.dim+j] = min(r.cells[i*r.dim+j], int64(b))
	return r.closure()
}

func (r *reference) elapse() {
	for i := 1; i < r.dim; i++ {
		r.cells[i*r.dim] = unbounded
	}
}

// gather joins the old clocks and the new ones in one system, in which each
// new clock equals its source, and then drops the old ones.
func (r *reference) gather(sources []uint8) {
	old, all := r.dim, r.dim+len(sources)
	joint := &reference{all, slices.Repeat([]int64{unbounded}, all*all)}
	for i := range all {
		joint.cells[i*all+i] = 0
	}
	for i := range old {
		copy(joint.cells[i*all:], r.cells[i*old:i*old+old])
	}
	for k, s := range sources {
		joint.cells[(old+k)*all+int(s)] = 0
		joint.cells[int(s)*all+old+k] = 0
	}
	joint.closure()
	kept := func(i int) int {
		if i == 0 {
			return 0
		}
		return old + i - 1
	}
	n := len(sources) + 1
	r.dim, r.cells = n, make([]int64, n*n)
	for i := range n {
		for j := range n {
			r.cells[i*n+j] = joint.cells[kept(i)*all+kept(j)]
		}
	}
}

func (r *reference) equals(z *zone.Matrix) bool {
	return r.dim == z.Dim() && slices.Equal(r.cells, referenceOf(z).cells)
}

// The generators. They draw from a choice, so that property tests and fuzz
// targets build the same things.

// choice returns a number between low and high.
type choice func(label string, low, high int) int

// drawn makes a number of fair bits, because rapid.IntRange prefers the low end:
// most sequences would be short and most zones would have no constraint.
func drawn(t *rapid.T) choice {
	return func(label string, low, high int) int {
		return rapid.Custom(func(t *rapid.T) int {
			n := 0
			for range 8 {
				n *= 2
				if rapid.Bool().Draw(t, "bit") {
					n++
				}
			}
			return low + n%(high-low+1)
		}).Draw(t, label)
	}
}

func (c choice) bound(label string, low, high int) zone.Bound {
	return zone.Bound(c(label, low, high))
}

// anywhere is the zone of all valuations.
func anywhere(clocks int) *zone.Matrix {
	n := clocks + 1
	cells := slices.Repeat([]zone.Bound{zone.Infinity}, n*n)
	for i := range n {
		cells[i] = 0
		cells[i*n+i] = 0
	}
	z := &zone.Matrix{}
	z.Load(n, cells)
	return z
}

func clone(z *zone.Matrix) *zone.Matrix {
	c := &zone.Matrix{}
	c.Copy(z)
	return c
}

// narrow adds a few constraints with constants from low to high, those that
// would leave nothing excepted.
func (c choice) narrow(z *zone.Matrix, low, high int) *zone.Matrix {
	for range c("constraints", 0, 3*z.Dim()-2) {
		tried := clone(z)
		if tried.Constrain(c("i", 0, z.Dim()-1), c("j", 0, z.Dim()-1), c.bound("b", low, high)) {
			z = tried
		}
	}
	return z
}

func (c choice) zone(clocks, low, high int) *zone.Matrix {
	return c.narrow(anywhere(clocks), low, high)
}

// pair returns two zones. Where they are drawn apart from each other, one
// rarely contains the other or nearly does; so mostly they have a common part.
func (c choice) pair(clocks, low, high int) (outer, inner *zone.Matrix) {
	common := anywhere(clocks)
	if c("related", 0, 3) > 0 {
		common = c.narrow(common, low, high)
	}
	return c.narrow(clone(common), low, high), c.narrow(clone(common), low, high)
}

// constants returns lower and upper constants for Covers.
func (c choice) constants(dim, most int) (lower, upper []zone.Bound) {
	draw := func(label string) []zone.Bound {
		of := make([]zone.Bound, dim)
		for x := 1; x < dim; x++ {
			of[x] = c.bound(label, -1, most)
			if of[x] < 0 {
				of[x] = zone.Unbounded
			}
		}
		return of
	}
	return draw("lower"), draw("upper")
}

// withinReach bounds the valuations that tell a zone from a different one with
// bounds of a similar size.
func withinReach(z *zone.Matrix) zone.Bound { return 3*largest(z.Cells()) + 1 }

// The tests of the matrix.

// checkClosed compares z with its closure.
func checkClosed(t rapid.TB, z *zone.Matrix) {
	t.Helper()
	r := referenceOf(z)
	if !r.closure() {
		t.Fatalf("the zone is empty: %v", z.Cells())
	}
	if !r.equals(z) {
		t.Fatalf("closure makes %v of %v", r.cells, z.Cells())
	}
	for i := range z.Dim() {
		if z.At(i, i) != 0 || z.At(0, i) > 0 {
			t.Fatalf("clock %d differs from itself or may be negative: %v", i, z.Cells())
		}
	}
}

// checkOperations applies a sequence of all operations to a zone and to its
// reference side by side. Constants are multiples of unit.
func checkOperations(t rapid.TB, c choice, unit zone.Bound) {
	t.Helper()
	z := zone.New(c("clocks", 0, 4))
	r := referenceOf(z)
	var done []string
	check := func(step string, args ...any) {
		t.Helper()
		done = append(done, fmt.Sprintf(step, args...))
		if !r.equals(z) {
			t.Fatalf("after %v the zone is %v; want %v", done, z.Cells(), r.cells)
		}
		checkClosed(t, z)
	}
	constrain := func(i, j int, b zone.Bound) {
		t.Helper()
		before := clone(z)
		ok, want := z.Constrain(i, j, b), r.constrain(i, j, b)
		if ok != want {
			t.Fatalf("after %v Constrain(%d, %d, %d) on %v is %v; want %v",
				done, i, j, b, before.Cells(), ok, want)
		}
		if ok {
			check("Constrain(%d, %d, %d)", i, j, b)
		}
		// A search drops empty zones and those out of range; so does this one.
		if !ok || !z.InRange() {
			z.Copy(before)
			r = referenceOf(z)
			done = append(done, "undone")
		}
	}
	check("New(%d)", z.Dim()-1)
	for range c("steps", 0, 24) {
		n := z.Dim()
		switch c("operation", 0, 5) {
		case 0, 1, 2:
			constrain(c("i", 0, n-1), c("j", 0, n-1), unit*c.bound("b", -4, 6))
		case 3:
			z.Elapse()
			r.elapse()
			check("Elapse()")
		case 4:
			upper := slices.Repeat([]zone.Bound{zone.Infinity}, n)
			for i := 1; i < n; i++ {
				if c("bounded", 0, 1) == 0 {
					continue
				}
				b := min(z.Lower(i)+unit*c.bound("room", 0, 6), zone.Limit)
				constrain(i, 0, b)
				if z.Upper(i) <= b {
					upper[i] = b
				}
			}
			before := clone(z)
			z.ElapseWithin(upper)
			r.elapse()
			for i := 1; i < n; i++ {
				if upper[i] < zone.Infinity {
					r.constrain(i, 0, upper[i])
				}
			}
			check("ElapseWithin(%v)", upper)
			if !z.InRange() {
				z.Copy(before)
				r = referenceOf(z)
				done = append(done, "undone")
			}
		case 5:
			sources := make([]uint8, c("clocks", 0, 4))
			for k := range sources {
				sources[k] = uint8(c("source", 0, n-1))
			}
			// The target holds another zone of another dimension.
			target := zone.New(c("held", 0, 5))
			target.Elapse()
			target.Gather(z, sources)
			z = target
			r.gather(sources)
			check("Gather(%v)", sources)
		}
	}
}

func TestEveryOperationLeavesTheMatrixCanonicalAndEqualToAFullClosure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkOperations(t, drawn(t), 1) })
}

func TestBoundsInRangeNeverOverflowWithinOneOperation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Units from a sixth of Limit, which reaches it at once, to small ones,
		// which reach it in sums only.
		unit := zone.Limit / zone.Bound(drawn(t)("parts", 6, 20))
		checkOperations(t, drawn(t), unit)
	})
}

func TestConstrainReportsEmptyExactlyWhenNoIntegerValuationIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		clocks := c("clocks", 2, 4)
		z := anywhere(clocks)
		n := z.Dim()
		all := slices.Clone(z.Cells()) // never closed
		// No edge pushes a clock up by more than 4, so the least solution lies
		// within 4 per clock.
		top := zone.Bound(4 * clocks)
		for range c("constraints", 1, 12) {
			i, j, b := c("i", 0, n-1), c("j", 0, n-1), c.bound("b", -4, 6)
			all[i*n+j] = min(all[i*n+j], b)
			got, want := z.Constrain(i, j, b), search(n, all, top, nil, found)
			if got != want {
				t.Fatalf("with x%d - x%d <= %d Constrain says %v, brute force over %v says %v", i, j, b, got, all, want)
			}
			if !got {
				return
			}
		}
	})
}

func TestConstrainKeepsExactlyTheValuationsWithinTheBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		before := c.zone(c("clocks", 1, 3), -2, 3)
		i, j, b := c("i", 0, before.Dim()-1), c("j", 0, before.Dim()-1), c.bound("b", -4, 6)
		after := clone(before)
		if !after.Constrain(i, j, b) {
			return
		}
		for _, v := range points(anywhere(before.Dim()-1), min(max(withinReach(before), withinReach(after)), 14)) {
			want := contains(before, v) && v[i]-v[j] <= b
			if got := contains(after, v); got != want {
				t.Fatalf("%v: %v in %v after x%d - x%d <= %d, from %v", v, got, after.Cells(), i, j, b, before.Cells())
			}
		}
	})
}

func TestEveryBoundIsAttainedByAnIntegerValuation(t *testing.T) {
	// This says that the matrix is canonical without naming shortest paths. An
	// infinite bound is attained if it can be exceeded at will; once past the
	// weight of all paths is enough.
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		z := c.zone(c("clocks", 1, 3), -2, 3)
		n := z.Dim()
		most := largest(z.Cells())
		for i := range n {
			for j := range n {
				want := min(z.At(i, j), most+1)
				cells := slices.Clone(z.Cells())
				cells[j*n+i] = min(cells[j*n+i], -want)
				if !search(n, cells, 2*most+want, nil, found) {
					t.Fatalf("no valuation in %v has x%d - x%d = %d", z.Cells(), i, j, want)
				}
			}
		}
	})
}

func TestElapseReachesExactlyTheValuationsSomeDelayAfterTheZone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		before := c.zone(c("clocks", 1, 3), -2, 3)
		after := clone(before)
		after.Elapse()
		for _, v := range points(anywhere(before.Dim()-1), min(withinReach(before), 14)) {
			// The delays that lead to v form an interval with integer ends.
			want := false
			for delay := zone.Bound(0); delay <= slices.Max(v) && !want; delay++ {
				start := slices.Clone(v)
				least := zone.Bound(0)
				for x := 1; x < len(v); x++ {
					start[x] -= delay
					least = min(least, start[x])
				}
				want = least >= 0 && contains(before, start)
			}
			if got := contains(after, v); got != want {
				t.Fatalf("%v: %v in %v, which elapsed from %v", v, got, after.Cells(), before.Cells())
			}
		}
	})
}

func TestElapseWithinIsElapseThenConstrainByEachFiniteBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		z := c.zone(c("clocks", 1, 5), -4, 6)
		upper := slices.Repeat([]zone.Bound{zone.Infinity}, z.Dim())
		for i := 1; i < z.Dim(); i++ {
			if c("bounded", 0, 2) > 0 {
				upper[i] = z.Lower(i) + c.bound("room", 0, 6)
				// From its smallest value on a clock can always be bounded.
				if !z.Constrain(i, 0, upper[i]) {
					t.Fatalf("x%d <= %d empties %v", i, upper[i], z.Cells())
				}
			}
		}
		want := clone(z)
		want.Elapse()
		for i := 1; i < z.Dim(); i++ {
			if upper[i] < zone.Infinity && !want.Constrain(i, 0, upper[i]) {
				t.Fatalf("x%d <= %d empties the future of %v", i, upper[i], z.Cells())
			}
		}
		got := clone(z)
		got.ElapseWithin(upper)
		if !slices.Equal(got.Cells(), want.Cells()) {
			t.Fatalf("%v elapses within %v to %v; want %v", z.Cells(), upper, got.Cells(), want.Cells())
		}
		if !zone.Includes(got.Cells(), z.Cells(), z.Dim()) {
			t.Fatalf("%v elapses within %v to %v, which lost the start", z.Cells(), upper, got.Cells())
		}
		checkClosed(t, got)
	})
}

func TestGatherIsTheImageOfTheZonesValuations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		from := c.zone(c("clocks", 1, 3), -2, 2)
		sources := make([]uint8, c("new clocks", 0, 3))
		for k := range sources {
			sources[k] = uint8(c("source", 0, from.Dim()-1))
		}
		after := zone.New(0)
		after.Gather(from, sources)
		top := min(withinReach(from), 13)
		for _, w := range points(anywhere(len(sources)), top) {
			// Is there a valuation v in from which w is made of? Clocks that are
			// not named are free; their least values are at most a path above
			// those of the named ones.
			named := func(x int, value zone.Bound) bool {
				for k, s := range sources {
					if int(s) == x && value != w[k+1] {
						return false
					}
				}
				return true
			}
			want := named(0, 0) && search(from.Dim(), from.Cells(), top+largest(from.Cells()), named, found)
			if got := contains(after, w); got != want {
				t.Fatalf("%v: %v in %v, which Gather(%v) made of %v", w, got, after.Cells(), sources, from.Cells())
			}
		}
		checkClosed(t, after)
	})
}

func TestGatherOfAllClocksInOrderChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		from := c.zone(c("clocks", 0, 5), -4, 6)
		var sources []uint8
		for i := 1; i < from.Dim(); i++ {
			sources = append(sources, uint8(i))
		}
		after := &zone.Matrix{}
		after.Gather(from, sources)
		if !slices.Equal(after.Cells(), from.Cells()) {
			t.Fatalf("%v became %v", from.Cells(), after.Cells())
		}
	})
}

// The tests of the subsumption.

func TestIncludesHoldsExactlyWhenEveryIntegerValuationOfInnerIsInOuter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer, inner := c.pair(c("clocks", 1, 3), -2, 3)
		got := zone.Includes(outer.Cells(), inner.Cells(), outer.Dim())
		if want := included(outer.Cells(), inner.Cells(), outer.Dim()); got != want {
			t.Fatalf("Includes(%v, %v) is %v", outer.Cells(), inner.Cells(), got)
		}
	})
}

func TestIncludesIsReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		z := c.zone(c("clocks", 0, 5), -4, 6)
		if !zone.Includes(z.Cells(), z.Cells(), z.Dim()) {
			t.Fatalf("%v does not include itself", z.Cells())
		}
	})
}

// checkCovers compares Covers with its definition.
func checkCovers(t rapid.TB, outer, inner, lower, upper []zone.Bound) {
	t.Helper()
	dim := len(lower)
	got := zone.Covers(outer, inner, dim, lower, upper)
	if want := covered(outer, inner, dim, lower, upper); got != want {
		t.Fatalf("Covers(%v, %v, %d, %v, %v) is %v", outer, inner, dim, lower, upper, got)
	}
}

func TestCoversHoldsExactlyWhenEveryValuationOfInnerIsSimulatedInOuter(t *testing.T) {
	t.Run("one clock", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawn(t)
			outer, inner := c.pair(1, -4, 6)
			lower, upper := c.constants(2, 8)
			checkCovers(t, outer.Cells(), inner.Cells(), lower, upper)
		})
	})
	t.Run("two clocks", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawn(t)
			outer, inner := c.pair(2, -3, 4)
			lower, upper := c.constants(3, 6)
			checkCovers(t, outer.Cells(), inner.Cells(), lower, upper)
		})
	})
	t.Run("three clocks", func(t *testing.T) {
		rapid.Check(t, func(t *rapid.T) {
			c := drawn(t)
			outer, inner := c.pair(3, -1, 2)
			lower, upper := c.constants(4, 3)
			checkCovers(t, outer.Cells(), inner.Cells(), lower, upper)
		})
	})
}

// zonesOf lists all different zones of a number of clocks that constraints with
// constants from low to high define.
func zonesOf(clocks int, low, high zone.Bound) [][]zone.Bound {
	var all [][]zone.Bound
	seen := map[string]bool{}
	var extend func(z *zone.Matrix)
	extend = func(z *zone.Matrix) {
		key := fmt.Sprint(z.Cells())
		if seen[key] {
			return
		}
		seen[key] = true
		all = append(all, z.Cells())
		for i := range z.Dim() {
			for j := range z.Dim() {
				for b := low; b <= high; b++ {
					if next := clone(z); next.Constrain(i, j, b) {
						extend(next)
					}
				}
			}
		}
	}
	extend(anywhere(clocks))
	return all
}

// constantsOf lists all lower or upper constants up to most.
func constantsOf(clocks int, most zone.Bound) [][]zone.Bound {
	all := [][]zone.Bound{{0}}
	for range clocks {
		var next [][]zone.Bound
		for _, prefix := range all {
			next = append(next, append(slices.Clone(prefix), zone.Unbounded))
			for k := zone.Bound(0); k <= most; k++ {
				next = append(next, append(slices.Clone(prefix), k))
			}
		}
		all = next
	}
	return all
}

func TestCoversHoldsExactlyWhenSimulatedForAllSmallZones(t *testing.T) {
	for _, scope := range []struct {
		clocks          int
		low, high, most zone.Bound
	}{
		{clocks: 1, low: -3, high: 4, most: 4},
		{clocks: 2, low: -1, high: 1, most: 1},
	} {
		t.Run(fmt.Sprint(scope.clocks, " clocks"), func(t *testing.T) {
			dim := scope.clocks + 1
			zones := zonesOf(scope.clocks, scope.low, scope.high)
			constants := constantsOf(scope.clocks, scope.most)
			var within, abstracted, not int
			for _, outer := range zones {
				for _, inner := range zones {
					for _, lower := range constants {
						for _, upper := range constants {
							got := zone.Covers(outer, inner, dim, lower, upper)
							if want := covered(outer, inner, dim, lower, upper); got != want {
								t.Fatalf("Covers(%v, %v, %d, %v, %v) is %v", outer, inner, dim, lower, upper, got)
							}
							switch {
							case zone.Includes(outer, inner, dim):
								within++
							case got:
								abstracted++
							default:
								not++
							}
						}
					}
				}
			}
			t.Logf("of %d zones: %d within, %d by abstraction, %d not covered", len(zones), within, abstracted, not)
			// A comparison that only ever sees one answer compares nothing.
			if within == 0 || abstracted == 0 || not == 0 {
				t.Error("one of these classes is empty")
			}
		})
	}
}

// scaled multiplies finite bounds; the grid of the integers becomes finer.
func scaled(cells []zone.Bound, by zone.Bound) []zone.Bound {
	finer := slices.Clone(cells)
	for k, b := range finer {
		if b < zone.Infinity && b != zone.Unbounded {
			finer[k] = b * by
		}
	}
	return finer
}

func TestCoversIsTheSameOnAFinerGrid(t *testing.T) {
	// Time is dense: a valuation of a half, or of a third, which has no partner
	// would count as much as an integer one. With n-1 clocks multiples of 1/n
	// give every clock a fractional part of its own.
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer, inner := c.pair(c("clocks", 1, 2), -1, 2)
		dim := outer.Dim()
		lower, upper := c.constants(dim, 3)
		by := c.bound("parts", 2, dim)
		got := zone.Covers(outer.Cells(), inner.Cells(), dim, lower, upper)
		want := covered(scaled(outer.Cells(), by), scaled(inner.Cells(), by), dim, scaled(lower, by), scaled(upper, by))
		if got != want {
			t.Fatalf("Covers(%v, %v, %d, %v, %v) is %v, on multiples of 1/%d it is %v",
				outer.Cells(), inner.Cells(), dim, lower, upper, got, by, want)
		}
	})
}

func TestCoversHoldsWhereIncludesHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer := c.zone(c("clocks", 0, 5), -4, 6)
		inner := c.narrow(clone(outer), -4, 6)
		lower, upper := c.constants(outer.Dim(), 8)
		if !zone.Includes(outer.Cells(), inner.Cells(), outer.Dim()) {
			t.Fatalf("constraints of %v made %v, which is not included", outer.Cells(), inner.Cells())
		}
		if !zone.Covers(outer.Cells(), inner.Cells(), outer.Dim(), lower, upper) {
			t.Fatalf("%v includes but does not cover %v with %v, %v", outer.Cells(), inner.Cells(), lower, upper)
		}
	})
}

func TestCoversIsReflexive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		z := c.zone(c("clocks", 0, 5), -4, 6)
		lower, upper := c.constants(z.Dim(), 8)
		if !zone.Covers(z.Cells(), z.Cells(), z.Dim(), lower, upper) {
			t.Fatalf("%v does not cover itself with %v, %v", z.Cells(), lower, upper)
		}
	})
}

func TestCoversIsTransitive(t *testing.T) {
	// A search that drops a zone because of one that is dropped later relies
	// on it.
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		clocks := c("clocks", 1, 3)
		a, b := c.pair(clocks, -1, 2)
		d := c.narrow(anywhere(clocks), -1, 2)
		lower, upper := c.constants(a.Dim(), 3)
		covers := func(outer, inner *zone.Matrix) bool {
			return zone.Covers(outer.Cells(), inner.Cells(), a.Dim(), lower, upper)
		}
		for _, p := range [][3]*zone.Matrix{{a, b, d}, {a, d, b}, {b, a, d}, {b, d, a}, {d, a, b}, {d, b, a}} {
			if covers(p[0], p[1]) && covers(p[1], p[2]) && !covers(p[0], p[2]) {
				t.Fatalf("%v covers %v covers %v with %v, %v, but the first not the last",
					p[0].Cells(), p[1].Cells(), p[2].Cells(), lower, upper)
			}
		}
	})
}

func TestCoversIsIncludesWhereConstantsExceedAllBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer, inner := c.pair(c("clocks", 1, 4), -4, 6)
		constants := slices.Repeat([]zone.Bound{zone.Limit}, outer.Dim())
		constants[0] = 0
		got := zone.Covers(outer.Cells(), inner.Cells(), outer.Dim(), constants, constants)
		if want := zone.Includes(outer.Cells(), inner.Cells(), outer.Dim()); got != want {
			t.Fatalf("Covers(%v, %v) is %v, Includes is %v", outer.Cells(), inner.Cells(), got, want)
		}
	})
}

func TestCoversHoldsForAnyTwoZonesWhereNoClockIsCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer, inner := c.pair(c("clocks", 1, 4), -4, 6)
		constants := slices.Repeat([]zone.Bound{zone.Unbounded}, outer.Dim())
		constants[0] = 0
		if !zone.Covers(outer.Cells(), inner.Cells(), outer.Dim(), constants, constants) {
			t.Fatalf("%v does not cover %v", outer.Cells(), inner.Cells())
		}
	})
}

func TestCoversIsNeverGainedByLargerConstants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := drawn(t)
		outer, inner := c.pair(c("clocks", 1, 4), -2, 3)
		dim := outer.Dim()
		lower, upper := c.constants(dim, 4)
		larger := func(of []zone.Bound) []zone.Bound {
			grown := slices.Clone(of)
			for x := 1; x < dim; x++ {
				grown[x] = max(grown[x], c.bound("grown", 0, 6))
			}
			return grown
		}
		moreLower, moreUpper := larger(lower), larger(upper)
		if zone.Covers(outer.Cells(), inner.Cells(), dim, moreLower, moreUpper) &&
			!zone.Covers(outer.Cells(), inner.Cells(), dim, lower, upper) {
			t.Fatalf("%v covers %v with %v, %v but not with %v, %v",
				outer.Cells(), inner.Cells(), moreLower, moreUpper, lower, upper)
		}
	})
}
