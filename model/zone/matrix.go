package zone

// Bound is an upper bound on the difference of two clocks, in ticks.
type Bound = int32

const (
	// Infinity is the bound that excludes nothing.
	Infinity Bound = 1 << 30
	// Limit is the largest magnitude that a finite bound may have: sums of
	// two finite bounds then stay below Infinity.
	Limit Bound = 1 << 28
)

// Matrix is a canonical difference-bound matrix. The zero value is not usable;
// start with [New] or [Matrix.Reset].
type Matrix struct {
	dim   int
	cells []Bound // row-major, dim*dim
}

// New returns the zone in which each of the given number of clocks is zero.
func New(clocks int) *Matrix {
	z := &Matrix{}
	z.Reset(clocks)
	return z
}

// Reset makes z the zone in which each of the given number of clocks is zero.
func (z *Matrix) Reset(clocks int) {
	z.resize(clocks + 1)
	clear(z.cells)
}

// Load makes z the zone whose row-major cells are given; dim*dim cells are
// copied. They must be canonical, as [Matrix.Cells] returns them.
func (z *Matrix) Load(dim int, cells []Bound) {
	z.resize(dim)
	copy(z.cells, cells[:dim*dim])
}

// Copy makes z equal to other.
func (z *Matrix) Copy(other *Matrix) { z.Load(other.dim, other.cells) }

func (z *Matrix) resize(dim int) {
	z.dim = dim
	if cap(z.cells) < dim*dim {
		z.cells = make([]Bound, dim*dim, 2*dim*dim)
	}
	z.cells = z.cells[:dim*dim]
}

// Dim returns the number of clocks plus one.
func (z *Matrix) Dim() int { return z.dim }

// Cells returns the row-major entries. They belong to z.
func (z *Matrix) Cells() []Bound { return z.cells }

// At returns the bound on x_i - x_j.
func (z *Matrix) At(i, j int) Bound { return z.cells[i*z.dim+j] }

// Upper returns the largest value of clock i, or Infinity.
func (z *Matrix) Upper(i int) Bound { return z.cells[i*z.dim] }

// Lower returns the smallest value of clock i.
func (z *Matrix) Lower(i int) Bound { return -z.cells[i] }

// Constrain adds x_i - x_j <= b and closes the matrix again in O(dim^2). It
// reports whether the zone is still non-empty; an empty zone must not be used
// further.
func (z *Matrix) Constrain(i, j int, b Bound) bool {
	n := z.dim
	c := z.cells
	if b >= c[i*n+j] {
		return true
	}
	if back := c[j*n+i]; back < Infinity && b+back < 0 {
		return false
	}
	c[i*n+j] = b
	rowJ := c[j*n : j*n+n]
	for k := 0; k < n; k++ {
		ki := c[k*n+i]
		if ki >= Infinity {
			continue
		}
		via := ki + b
		row := c[k*n : k*n+n]
		for l, jl := range rowJ {
			if jl < Infinity && via+jl < row[l] {
				row[l] = via + jl
			}
		}
	}
	return true
}

// Elapse lets any amount of time pass: upper bounds of clocks go, differences
// stay.
func (z *Matrix) Elapse() {
	for i := 1; i < z.dim; i++ {
		z.cells[i*z.dim] = Infinity
	}
}

// ElapseWithin lets time pass as long as each clock i stays at most upper[i];
// upper has dim entries, the first is not looked at, Infinity bounds nothing.
// The zone must satisfy the bounds beforehand.
//
// The only edges that change are those from a clock to clock 0: each becomes the
// shortest way through a bounded clock. Differences of clocks stay: the zone
// satisfied the bounds, so no way through clock 0 is shorter than the direct one.
// That makes it O(dim^2).
func (z *Matrix) ElapseWithin(upper []Bound) {
	n := z.dim
	c := z.cells
	for i := 1; i < n; i++ {
		best := Infinity
		row := c[i*n : i*n+n]
		for j := 1; j < n; j++ {
			if upper[j] < Infinity && row[j] < Infinity && row[j]+upper[j] < best {
				best = row[j] + upper[j]
			}
		}
		row[0] = best
	}
}

// Gather makes z the zone over the clocks named by source: new clock k (from
// 1) is old clock source[k-1] of from, or a clock that starts at zero now where
// source[k-1] is 0. A clock that is not named is forgotten. Starting,
// forgetting and reordering clocks are thus one pass: a clock that starts now
// is equal to clock 0. z and from must differ.
func (z *Matrix) Gather(from *Matrix, source []uint8) {
	z.resize(len(source) + 1)
	n := z.dim
	old := from.dim
	first := from.cells[:old]
	z.cells[0] = 0
	for j, s := range source {
		z.cells[j+1] = first[s]
	}
	for i, r := range source {
		row := from.cells[int(r)*old : int(r)*old+old]
		out := z.cells[(i+1)*n : (i+1)*n+n]
		out[0] = row[0]
		for j, s := range source {
			out[j+1] = row[s]
		}
	}
}

// InRange reports whether every finite bound is within Limit. A search asks it
// before it stores a zone, so that sums cannot overflow.
func (z *Matrix) InRange() bool {
	for _, b := range z.cells {
		if b < -Limit || (b > Limit && b < Infinity) {
			return false
		}
	}
	return true
}
