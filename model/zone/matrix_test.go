package zone

import (
	"slices"
	"testing"
)

// filled returns a matrix whose storage holds nothing but a value that no zone
// of these tests has, so that a cell which an operation forgets to write shows.
func filled(dim int) *Matrix {
	z := &Matrix{}
	z.resize(dim)
	for k := range z.cells {
		z.cells[k] = 99
	}
	return z
}

// between returns the zone of two clocks with 1 <= x1 <= 4, 2 <= x2 <= 7 and
// x1 <= x2.
func between(t *testing.T) *Matrix {
	t.Helper()
	z := New(2)
	z.Load(3, []Bound{
		0, 0, 0,
		Infinity, 0, Infinity,
		Infinity, Infinity, 0,
	})
	for _, e := range []struct {
		i, j int
		b    Bound
	}{{0, 1, -1}, {1, 0, 4}, {0, 2, -2}, {2, 0, 7}, {1, 2, 0}} {
		if !z.Constrain(e.i, e.j, e.b) {
			t.Fatalf("x%d - x%d <= %d emptied the zone", e.i, e.j, e.b)
		}
	}
	return z
}

func expect(t *testing.T, z *Matrix, dim int, cells ...Bound) {
	t.Helper()
	if z.dim != dim || !slices.Equal(z.cells, cells) {
		t.Errorf("got dimension %d, cells %v; want %d, %v", z.dim, z.cells, dim, cells)
	}
}

func TestResetLeavesNoTraceOfWhatTheMatrixHeld(t *testing.T) {
	for _, held := range []int{1, 2, 3, 6} {
		z := filled(held)
		z.Reset(2)
		expect(t, z, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	}
}

func TestGatherLeavesNoTraceOfWhatTheMatrixHeld(t *testing.T) {
	from := between(t)
	for _, held := range []int{1, 2, 3, 6} {
		z := filled(held)
		z.Gather(from, []uint8{2, 0})
		expect(t, z, 3,
			0, -2, 0,
			7, 0, 7,
			0, -2, 0)
	}
}

func TestGatherDoesNotChangeItsSource(t *testing.T) {
	from := between(t)
	before := slices.Clone(from.cells)
	New(2).Gather(from, []uint8{2, 0, 1, 1})
	expect(t, from, 3, before...)
}

func TestGatherOfNoClocksLeavesOnlyClockZero(t *testing.T) {
	z := filled(3)
	z.Gather(between(t), nil)
	expect(t, z, 1, 0)
}

func TestCopyAndLoadShareNoStorage(t *testing.T) {
	original := between(t)
	before := slices.Clone(original.cells)

	copied := &Matrix{}
	copied.Copy(original)
	expect(t, copied, 3, before...)
	copied.Elapse()
	expect(t, original, 3, before...)

	loaded := &Matrix{}
	loaded.Load(3, original.Cells())
	expect(t, loaded, 3, before...)
	loaded.Elapse()
	expect(t, original, 3, before...)
}

func TestLoadTakesNoMoreCellsThanTheDimensionNeeds(t *testing.T) {
	// A search keeps the cells of many zones in one slice.
	z := filled(4)
	z.Load(2, []Bound{0, -1, 5, 0, 77, 78})
	expect(t, z, 2, 0, -1, 5, 0)
}

func TestReadersAgreeWithTheRowMajorCells(t *testing.T) {
	z := between(t)
	expect(t, z, 3,
		0, -1, -2,
		4, 0, 0,
		7, 6, 0)
	if z.Dim() != 3 {
		t.Errorf("Dim is %d", z.Dim())
	}
	for i := range 3 {
		for j := range 3 {
			if got, want := z.At(i, j), z.Cells()[3*i+j]; got != want {
				t.Errorf("At(%d, %d) is %d, the cell is %d", i, j, got, want)
			}
		}
	}
	for i, want := range [][2]Bound{{0, 0}, {1, 4}, {2, 7}} {
		if z.Lower(i) != want[0] || z.Upper(i) != want[1] {
			t.Errorf("clock %d lies in [%d, %d]; want %v", i, z.Lower(i), z.Upper(i), want)
		}
	}
	z.Elapse()
	if z.Upper(2) != Infinity {
		t.Errorf("after time has passed x2 is at most %d", z.Upper(2))
	}
}

func TestConstrainByABoundThatExcludesNothingChangesNothing(t *testing.T) {
	z := between(t)
	before := slices.Clone(z.cells)
	for i := range z.dim {
		for j := range z.dim {
			for _, b := range []Bound{z.At(i, j), z.At(i, j) + 1, Limit, Infinity} {
				if !z.Constrain(i, j, b) {
					t.Fatalf("x%d - x%d <= %d emptied the zone", i, j, b)
				}
				expect(t, z, 3, before...)
			}
		}
	}
}

func TestConstrainReportsEmptyExactlyBelowTheSmallestDifference(t *testing.T) {
	for i := range 3 {
		for j := range 3 {
			least := -between(t).At(j, i)
			if z := between(t); !z.Constrain(i, j, least) {
				t.Errorf("x%d - x%d <= %d is reported empty, the difference is attained", i, j, least)
			}
			if z := between(t); z.Constrain(i, j, least-1) {
				t.Errorf("x%d - x%d <= %d is not reported empty", i, j, least-1)
			}
		}
	}
}

func TestElapseWithinDoesNotLookAtTheBoundOfClockZero(t *testing.T) {
	want := between(t)
	want.ElapseWithin([]Bound{0, 9, Infinity})
	for _, first := range []Bound{-5, 3, Infinity, Unbounded} {
		z := between(t)
		z.ElapseWithin([]Bound{first, 9, Infinity})
		expect(t, z, 3, want.cells...)
	}
}

func TestInRangeIsFalseForFiniteBoundsBeyondLimitOnly(t *testing.T) {
	for _, c := range []struct {
		bound Bound
		want  bool
	}{
		{-Limit, true}, {-Limit - 1, false}, {-Infinity, false},
		{Limit, true}, {Limit + 1, false}, {2 * Limit, false},
		{Infinity - 1, false}, {Infinity, true}, {0, true},
	} {
		for _, at := range []int{1, 2} {
			z := New(1)
			z.cells[at] = c.bound
			if got := z.InRange(); got != c.want {
				t.Errorf("with %d in cell %d InRange is %v", c.bound, at, got)
			}
		}
	}
}

func TestOperationsOnAMatrixThatIsLargeEnoughAllocateNothing(t *testing.T) {
	from, z := New(5), New(5)
	source := []uint8{3, 1, 0, 5, 2}
	upper := []Bound{0, 8, Infinity, 7, Infinity, 9}
	lower := []Bound{0, 3, Unbounded, 3, 3, 3}
	got := testing.AllocsPerRun(20, func() {
		from.Reset(5)
		from.Elapse()
		from.Constrain(1, 0, 6)
		z.Gather(from, source)
		z.ElapseWithin(upper)
		Includes(z.Cells(), from.Cells(), 6)
		Covers(z.Cells(), from.Cells(), 6, lower, upper)
		from.Copy(z)
	})
	if got != 0 {
		t.Errorf("%v allocations per round", got)
	}
}
