package sweep

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Design says which combinations of the values of the axes are points.
type Design string

// Grid takes all combinations; the values of the last axis change fastest.
const Grid Design = "grid"

// Random takes so many combinations, as a Latin hypercube; see the package.
func Random(points int) Design { return Design("random:" + strconv.Itoa(points)) }

// MaxPoints is how many points a sweep can have.
const MaxPoints = 100_000

// random returns how many points a random design has.
func (d Design) random() (points int, ok bool) {
	number, ok := strings.CutPrefix(string(d), "random:")
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(number)
	return n, err == nil && n > 0
}

// choose returns for each point the numbers of the values of the axes, of which there are so
// many as sizes says.
func (d Design) choose(sizes []int, seed uint64) ([][]int, error) {
	all := 1
	for _, n := range sizes {
		if all *= n; all > 1<<40 {
			all = 1 << 40
		}
	}
	if d == Grid {
		if all > MaxPoints {
			return nil, fmt.Errorf("the grid has more than %d points; use fewer values, or --design random:%d", MaxPoints, 1000)
		}
		return grid(sizes, all), nil
	}
	n, ok := d.random()
	switch {
	case !ok:
		return nil, fmt.Errorf("there is no design %q; write grid, or random:100 for a hundred points", string(d))
	case n > MaxPoints:
		return nil, fmt.Errorf("a design of %d points: it must be at most %d", n, MaxPoints)
	case n > all:
		return nil, fmt.Errorf("a design of %d points, and there are %d combinations; use --design grid for all of them", n, all)
	case n == all:
		return grid(sizes, all), nil
	}
	points, ok := hypercube(sizes, n, rand.NewPCG(seed, 0))
	if !ok {
		return nil, fmt.Errorf("%d points of %d combinations leave too little choice to use each value as often as the others; use fewer points, or --design grid for all of them", n, all)
	}
	return points, nil
}

func grid(sizes []int, all int) [][]int {
	points := make([][]int, all)
	for i := range points {
		point, rest := make([]int, len(sizes)), i
		for axis := len(sizes) - 1; axis >= 0; axis-- {
			point[axis], rest = rest%sizes[axis], rest/sizes[axis]
		}
		points[i] = point
	}
	return points
}

// hypercube chooses n different points. ok is false if exchanges of values between points did
// not make them all different.
func hypercube(sizes []int, n int, source rand.Source) (points [][]int, ok bool) {
	points = make([][]int, n)
	for i := range points {
		points[i] = make([]int, len(sizes))
	}
	for axis, size := range sizes {
		column := make([]int, n)
		for i := range column {
			// A place within the part i of n, as a 32 bit fraction.
			place := uint64(i)<<32 + source.Uint64()>>32
			high, low := bits.Mul64(place, uint64(size))
			value, _ := bits.Div64(high, low, uint64(n)<<32)
			column[i] = int(value)
		}
		for i := n - 1; i > 0; i-- {
			k := below(source, i+1)
			column[i], column[k] = column[k], column[i]
		}
		for i := range points {
			points[i][axis] = column[i]
		}
	}
	return points, separate(points, source)
}

// separate exchanges values between points until no two are the same.
func separate(points [][]int, source rand.Source) bool {
	count := map[string]int{}
	for _, p := range points {
		count[key(p)]++
	}
	for i, tries := 0, 0; i < len(points); {
		if count[key(points[i])] == 1 {
			i, tries = i+1, 0
			continue
		}
		if tries++; tries > 10_000 {
			return false
		}
		k, axis := below(source, len(points)), below(source, len(points[i]))
		before := repeated(count, points[i]) + repeated(count, points[k])
		exchange := func() {
			count[key(points[i])]--
			count[key(points[k])]--
			points[i][axis], points[k][axis] = points[k][axis], points[i][axis]
			count[key(points[i])]++
			count[key(points[k])]++
		}
		if k == i {
			continue
		}
		exchange()
		if repeated(count, points[i])+repeated(count, points[k]) > before {
			exchange()
			continue
		}
		i = min(i, k) // what was different may not be any more
	}
	return true
}

func repeated(count map[string]int, point []int) int { return min(count[key(point)]-1, 1) }

func key(point []int) string { return fmt.Sprint(point) }

// below draws a number from 0 to n-1, in a way that no version of the library changes.
func below(source rand.Source, n int) int {
	high, _ := bits.Mul64(source.Uint64(), uint64(n))
	return int(high)
}
