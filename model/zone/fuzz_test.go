package zone_test

import (
	"testing"

	"lockstep/model/zone"
)

// decoded draws from the bytes of a fuzz input, one each, and always the
// lowest number once they are used up.
func decoded(data []byte) choice {
	return func(_ string, low, high int) int {
		if len(data) == 0 {
			return low
		}
		b := int(data[0])
		data = data[1:]
		return low + b%(high-low+1)
	}
}

// FuzzOperationsEqualAFullClosure runs sequences of operations.
func FuzzOperationsEqualAFullClosure(f *testing.F) {
	f.Add(byte(0), []byte{2, 3, 3, 0, 1, 0, 9, 1, 0, 2, 1})
	f.Add(byte(0), []byte{3, 8, 3, 1, 1, 0, 8, 5, 3, 2, 0, 1, 4, 4, 1, 3, 0, 1, 5, 0, 2, 1, 4})
	f.Add(byte(0), []byte{4, 12, 3, 5, 4, 0, 1, 2, 3, 1, 3, 0, 1, 2, 6, 0, 2, 1, 2, 0, 4, 3, 1, 4, 1, 3, 1, 0, 1, 1, 1, 2})
	f.Add(byte(6), []byte{4, 9, 3, 0, 1, 0, 10, 0, 2, 1, 10, 5, 4, 1, 0, 1, 2, 0, 3, 4, 1, 6, 1, 6, 1, 6, 1, 6})
	f.Fuzz(func(t *testing.T, parts byte, data []byte) {
		// Constants are small, or they reach Limit.
		unit := zone.Bound(1)
		if parts >= 6 {
			unit = zone.Limit / zone.Bound(parts)
		}
		checkOperations(t, decoded(data), unit)
	})
}

// FuzzCoversEqualsItsDefinition compares zones of one or two clocks with brute
// force.
func FuzzCoversEqualsItsDefinition(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 1, 0, 2, 1, 0, 3, 0, 1, 2, 1, 0, 1, 4, 2, 2})
	f.Add([]byte{1, 1, 2, 1, 2, 3, 2, 1, 3, 2, 0, 1, 1, 0, 2, 1, 1, 0, 4, 3, 1, 4, 0})
	f.Add([]byte{1, 3, 4, 2, 0, 5, 1, 0, 4, 1, 2, 3, 0, 1, 1, 1, 0, 2, 1, 4, 2, 3, 1})
	f.Fuzz(func(t *testing.T, data []byte) {
		c := decoded(data)
		outer, inner := c.pair(c("clocks", 1, 2), -2, 3)
		lower, upper := c.constants(outer.Dim(), 4)
		checkCovers(t, outer.Cells(), inner.Cells(), lower, upper)

		got := zone.Includes(outer.Cells(), inner.Cells(), outer.Dim())
		if want := included(outer.Cells(), inner.Cells(), outer.Dim()); got != want {
			t.Fatalf("Includes(%v, %v) is %v", outer.Cells(), inner.Cells(), got)
		}
	})
}
