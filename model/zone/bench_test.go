package zone_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"lockstep/model/zone"
)

// run returns a zone like those of a search: clocks start one after another,
// and between two starts time passes within a bound. All its bounds are finite,
// so no operation can skip a row.
func run(clocks int) *zone.Matrix {
	random := rand.New(rand.NewPCG(1, uint64(clocks)))
	z, next := zone.New(0), zone.New(0)
	for k := range clocks {
		sources := make([]uint8, k+1)
		for i := range k {
			sources[i] = uint8(i + 1)
		}
		next.Gather(z, sources)
		z, next = next, z
		upper := make([]zone.Bound, k+2)
		for i := 1; i < len(upper); i++ {
			upper[i] = z.Lower(i) + 5 + random.Int32N(40)
			z.Constrain(i, 0, upper[i])
		}
		z.ElapseWithin(upper)
		// From the least values on, 5 may always pass.
		if !z.Constrain(0, k+1, -1-random.Int32N(3)) {
			panic("the zone is empty")
		}
	}
	return z
}

func atEachDim(b *testing.B, measure func(b *testing.B, z *zone.Matrix)) {
	for _, dim := range []int{6, 9, 12} {
		b.Run(fmt.Sprintf("dim=%d", dim), func(b *testing.B) {
			z := run(dim - 1)
			if !z.InRange() || z.Dim() != dim {
				b.Fatalf("not a zone of dimension %d: %v", dim, z.Cells())
			}
			b.ReportAllocs()
			measure(b, z)
		})
	}
}

// A second Constrain by the same bound does nothing, so each round starts from
// a copy and the cost of the copy is included.
func BenchmarkConstrain(b *testing.B) {
	atEachDim(b, func(b *testing.B, z *zone.Matrix) {
		work := clone(z)
		last := z.Dim() - 1
		bound := (z.At(1, last) - z.At(last, 1)) / 2
		if bound >= z.At(1, last) {
			b.Fatal("the bound excludes nothing")
		}
		for b.Loop() {
			work.Copy(z)
			if !work.Constrain(1, last, bound) {
				b.Fatal("the zone is empty")
			}
		}
	})
}

// One clock stops, one starts, the others move.
func BenchmarkGather(b *testing.B) {
	atEachDim(b, func(b *testing.B, z *zone.Matrix) {
		work := clone(z)
		sources := make([]uint8, z.Dim()-1)
		for k := range sources {
			sources[k] = uint8((k + 2) % z.Dim())
		}
		for b.Loop() {
			work.Gather(z, sources)
		}
	})
}

// Each round starts from a copy, as in BenchmarkConstrain.
func BenchmarkElapseWithin(b *testing.B) {
	atEachDim(b, func(b *testing.B, z *zone.Matrix) {
		work := clone(z)
		upper := make([]zone.Bound, z.Dim())
		for i := range upper {
			upper[i] = z.Upper(i) + zone.Bound(i)
		}
		for b.Loop() {
			work.Copy(z)
			work.ElapseWithin(upper)
		}
	})
}

// An answer of yes is the dear one: it has looked at every cell.
func BenchmarkCovers(b *testing.B) {
	atEachDim(b, func(b *testing.B, z *zone.Matrix) {
		dim := z.Dim()
		inner := clone(z)
		inner.Elapse()
		constants := make([]zone.Bound, dim)
		for i := 1; i < dim; i++ {
			constants[i] = z.Lower(i) / 2
		}
		if zone.Includes(z.Cells(), inner.Cells(), dim) {
			b.Fatal("included, which leaves nothing to abstract")
		}
		for b.Loop() {
			if !zone.Covers(z.Cells(), inner.Cells(), dim, constants, constants) {
				b.Fatal("not covered")
			}
		}
	})
}

func BenchmarkIncludes(b *testing.B) {
	atEachDim(b, func(b *testing.B, z *zone.Matrix) {
		dim := z.Dim()
		inner := clone(z)
		inner.Constrain(1, 0, (z.Lower(1)+z.Upper(1))/2)
		for b.Loop() {
			if !zone.Includes(z.Cells(), inner.Cells(), dim) {
				b.Fatal("not included")
			}
		}
	})
}
