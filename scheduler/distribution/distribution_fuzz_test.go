package distribution_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"lockstep/scheduler/distribution"
)

// Whatever is read draws nothing that is negative, and is read again as it is printed.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"2s", "2s..25s", "constant:1s", "uniform:1s..2s", "lognormal:2s..25s", "lognormal:1ns..2562047h", "at-once", "poisson:1000/s", "poisson:1/h"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.HasPrefix(text, "file:") {
			t.Skip("no files here")
		}
		random := rand.NewPCG(1, 2)
		if d, err := distribution.Parse(text); err == nil {
			for range 20 {
				if x, bounds := d.Sample(random), d.Range(); x < bounds.Min || x > bounds.Max || x < 0 {
					t.Fatalf("%q draws %d, not within %d to %d", text, x, bounds.Min, bounds.Max)
				}
			}
			if again, err := distribution.Parse(d.String()); err != nil || again.String() != d.String() {
				t.Fatalf("%q is printed %q, which is read as %v, %v", text, d, again, err)
			}
		}
		if a, err := distribution.ParseArrivals(text); err == nil {
			if again, err := distribution.ParseArrivals(a.String()); err != nil || again.String() != a.String() {
				t.Fatalf("%q is printed %q, which is read as %v, %v", text, a, again, err)
			}
			for _, at := range a.Times(20, random) {
				if at < 0 {
					t.Fatalf("%q lets somebody arrive at %d", text, at)
				}
			}
		}
	})
}

// Whatever is read from a file is a distribution of what stands there.
func FuzzReadEmpirical(f *testing.F) {
	f.Add("1s\n# no\n\n2ms\n")
	f.Fuzz(func(t *testing.T, text string) {
		d, err := distribution.ReadEmpirical("durations", strings.NewReader(text))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "durations:") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		if x := d.Sample(rand.NewPCG(1, 2)); x < d.Range().Min || x > d.Range().Max {
			t.Fatalf("%d is drawn", x)
		}
	})
}
