package zone_test

import (
	"fmt"

	"lockstep/model/zone"
)

func Example() {
	// A request starts clock 1; its timeout is 5. Clock 2 measures how long the
	// process runs.
	z := zone.New(2)
	z.ElapseWithin([]zone.Bound{0, 5, zone.Infinity})
	fmt.Printf("waiting: x1 in [%d, %d], x2 in [%d, %d]\n", z.Lower(1), z.Upper(1), z.Lower(2), z.Upper(2))

	// The answer needs at least 3.
	fmt.Println("answered after 3:", z.Constrain(0, 1, -3))

	// The request is over: the process keeps its clock, now as clock 1, and the
	// next request starts clock 2.
	next := &zone.Matrix{}
	next.Gather(z, []uint8{2, 0})
	next.ElapseWithin([]zone.Bound{0, zone.Infinity, 5})
	fmt.Printf("waiting again: x1 in [%d, %d], x2 in [%d, %d]\n", next.Lower(1), next.Upper(1), next.Lower(2), next.Upper(2))
	fmt.Printf("x1 - x2 in [%d, %d]\n", -next.At(2, 1), next.At(1, 2))

	// If x1 is only ever asked whether it has reached 2, the two situations
	// differ in nothing that can be seen later.
	later := &zone.Matrix{}
	later.Copy(next)
	later.Constrain(0, 1, -9)
	earlier := &zone.Matrix{}
	earlier.Copy(next)
	earlier.Constrain(1, 0, 8)
	lower, upper := []zone.Bound{0, 2, zone.Unbounded}, []zone.Bound{0, zone.Unbounded, zone.Unbounded}
	fmt.Println("included:", zone.Includes(earlier.Cells(), later.Cells(), 3))
	fmt.Println("covered:", zone.Covers(earlier.Cells(), later.Cells(), 3, lower, upper))

	fmt.Println("answered after 6:", next.Constrain(0, 2, -6))

	// Output:
	// waiting: x1 in [0, 5], x2 in [0, 5]
	// answered after 3: true
	// waiting again: x1 in [3, 10], x2 in [0, 5]
	// x1 - x2 in [3, 5]
	// included: false
	// covered: true
	// answered after 6: false
}
