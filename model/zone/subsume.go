package zone

// Unbounded as a lower or an upper constant says that a clock is never
// compared in that direction.
const Unbounded Bound = -Infinity

// Includes reports whether every valuation of the zone with cells inner lies
// in the zone with cells outer. Both have the given dimension and are
// canonical.
func Includes(outer, inner []Bound, dim int) bool {
	for k, b := range inner[:dim*dim] {
		if b > outer[k] {
			return false
		}
	}
	return true
}

// Covers reports whether the zone with cells inner is contained in the
// abstraction aLU of the zone with cells outer: then every behaviour from
// inner is one from outer, as long as no clock i is ever compared from below
// (x_i >= c) with c above lower[i] or from above (x_i <= c) with c above
// upper[i]. Both slices have dim entries; entry 0 must be 0; [Unbounded] says
// that there is no comparison in that direction.
//
// This is the O(dim^2) test of Herbreteau, Srivathsan and Walukiewicz (LICS
// 2012) for closed bounds: inner is not covered if and only if there are clocks
// x and y with inner(0,x) >= -upper(x), outer(y,x) < inner(y,x) and
// outer(y,x) - lower(y) <= inner(0,x).
func Covers(outer, inner []Bound, dim int, lower, upper []Bound) bool {
	for y := 0; y < dim; y++ {
		low := lower[y]
		if low == Unbounded {
			continue
		}
		in := inner[y*dim : y*dim+dim]
		out := outer[y*dim : y*dim+dim]
		for x, o := range out {
			if o < in[x] && inner[x] >= -upper[x] && o-low <= inner[x] {
				return false
			}
		}
	}
	return true
}
