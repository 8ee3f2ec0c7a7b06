package distribution

import (
	"math"
	"testing"
)

// The functions are those of package math up to some units in the last place.
func TestPortableFunctionsAreExact(t *testing.T) {
	for x := 1e-300; x < 1e300; x *= 1.37 {
		want := math.Log(x)
		if got := logarithm(x); math.Abs(got-want) > 1e-15*max(1, math.Abs(want)) {
			t.Fatalf("logarithm(%g) is %v, want %v", x, got, want)
		}
	}
	if got := logarithm(1); got != 0 {
		t.Errorf("logarithm(1) is %v", got)
	}
	for x := -690.0; x < 690; x += 0.7131 {
		want := math.Exp(x)
		if got := exponential(x); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("exponential(%g) is %v, want %v", x, got, want)
		}
	}
}
