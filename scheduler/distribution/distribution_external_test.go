package distribution_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/model"
	"lockstep/scheduler/distribution"
)

func parse(t testing.TB, text string) distribution.Distribution {
	t.Helper()
	d, err := distribution.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// What a seed gives is the same on every machine: it is pinned.
func TestDrawsArePinned(t *testing.T) {
	for text, want := range map[string][]time.Duration{
		"50ms":               {50 * time.Millisecond, 50 * time.Millisecond},
		"2s..25s":            {19695585196, 16178033146},
		"lognormal:2s..25s":  {8568711 * time.Microsecond, 3891565 * time.Microsecond},
		"lognormal:1ms..1ms": {time.Millisecond, time.Millisecond},
	} {
		d, random := parse(t, text), rand.NewPCG(1, 2)
		for i, want := range want {
			if got := d.Sample(random); got != want {
				t.Errorf("draw %d of %s is %d, want %d", i, text, got, want)
			}
		}
	}
	random := rand.NewPCG(1, 2)
	times := distribution.Poisson(1000).Times(3, random)
	if want := []time.Duration{262179, 745979, 988779}; !slices.Equal(times, want) {
		t.Errorf("arrivals at %d, want %d", times, want)
	}
}

// The percentiles of many draws are those of the distribution, and nothing is drawn that is
// out of its range.
func TestPercentilesOfDraws(t *testing.T) {
	const n = 200_000
	for _, c := range []struct {
		of       distribution.Distribution
		p50, p99 time.Duration
	}{
		{parse(t, "2s..25s"), 13500 * time.Millisecond, 24770 * time.Millisecond},
		{parse(t, "lognormal:2s..25s"), 2 * time.Second, 25 * time.Second},
		{parse(t, "lognormal:1ms..3ms"), time.Millisecond, 3 * time.Millisecond},
		{distribution.Exponential(time.Minute), 41589 * time.Millisecond, 276310 * time.Millisecond},
	} {
		random := rand.NewPCG(3, 4)
		draws := make([]time.Duration, n)
		bounds := c.of.Range()
		for i := range draws {
			draws[i] = c.of.Sample(random)
			if draws[i] < bounds.Min || draws[i] > bounds.Max {
				t.Fatalf("%s draws %s, which is not within %s", c.of, draws[i], bounds)
			}
		}
		slices.Sort(draws)
		for _, p := range []struct {
			want, got time.Duration
		}{{c.p50, draws[n/2]}, {c.p99, draws[n*99/100]}} {
			if r := float64(p.got) / float64(p.want); r < 0.97 || r > 1.03 {
				t.Errorf("a percentile of %s is %s, want about %s", c.of, p.got, p.want)
			}
		}
	}
}

// A distribution is read as it is printed.
func TestDistributionsAreReadAsTheyArePrinted(t *testing.T) {
	file := filepath.Join(t.TempDir(), "durations")
	if err := os.WriteFile(file, []byte("# recorded\n1s\n\n 3s \n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"50ms", "0s..5ms", "lognormal:2s..25s", "file:" + file} {
		if d := parse(t, text); d.String() != text {
			t.Errorf("%q is printed %q", text, d)
		}
	}
	d := parse(t, "file:"+file)
	if r := d.Range(); r != (model.Range{Min: time.Second, Max: 3 * time.Second}) {
		t.Errorf("the range of the file is %s", r)
	}
	for _, text := range []string{"at-once", "poisson:1000/s", "file:" + file} {
		if a, err := distribution.ParseArrivals(text); err != nil || a.String() != text {
			t.Errorf("%q is printed %q, %v", text, a, err)
		}
	}
	if a, err := distribution.ParseArrivals("poisson:30/m"); err != nil || a.String() != "poisson:0.5/s" {
		t.Errorf("30 a minute are %v, %v", a, err)
	}
}

// However many arrive in a second, on average it is the rate that is asked for.
func TestRatesOfArrivalsAreKept(t *testing.T) {
	const n = 200_000
	for _, rate := range []float64{0.01, 3, 1e6, 1e8, 7e8, 1e9} {
		times := distribution.Poisson(rate).Times(n, rand.NewPCG(2, 2))
		// The margin is some four standard deviations.
		if got := n / times[n-1].Seconds(); got < 0.99*rate || got > 1.01*rate {
			t.Errorf("%g arrive in a second, want %g", got, rate)
		}
	}
}

// Arrivals come in order, a recording as it is.
func TestArrivalsAreInOrder(t *testing.T) {
	times := distribution.Poisson(100).Times(10_000, rand.NewPCG(1, 1))
	if !slices.IsSorted(times) {
		t.Error("arrivals are not in order")
	}
	if mean := times[len(times)-1].Seconds() / 10_000; mean < 0.0097 || mean > 0.0103 {
		t.Errorf("%v s are between two arrivals, on average", mean)
	}
	r := distribution.Recorded("x", []time.Duration{3, 1, 2})
	if got := r.Times(99, nil); !slices.Equal(got, []time.Duration{1, 2, 3}) || r.Len() != 3 {
		t.Errorf("a recording comes at %v", got)
	}
}

func TestErrorsSayWhatToWrite(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "a distribution is 2s, 2s..25s, lognormal:P50..P99 or file:PATH",
		"5":                  `write "5s" or "5ms"`,
		"lognormal:2s..1s":   `write "1s..2s"`,
		"lognormal:0s..1s":   "the median must be positive",
		"normal:1s":          `there is no distribution "normal"`,
		"uniform:1s..":       "lacks an end",
		"file:/no/such/file": "no such file",
		"0s..99999h":         "write at most 10000h",
	} {
		if _, err := distribution.Parse(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
	for _, text := range []string{"", "soon", "poisson:", "poisson:0/s", "poisson:-1/s", "poisson:NaN/s", "poisson:1/d", "file:/no/such/file"} {
		if _, err := distribution.ParseArrivals(text); err == nil {
			t.Errorf("arrivals %q are read", text)
		}
	}
}
