package distribution

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Arrivals say when requests arrive.
type Arrivals interface {
	// Times returns when each of n requests arrives after the beginning, in order. A
	// recording has its own number of them.
	Times(n int, r rand.Source) []time.Duration
	// String is what [ParseArrivals] reads.
	String() string
}

// Spread is how many seconds it takes until n requests have arrived, on average; 0 if that is
// not drawn.
func Spread(a Arrivals, n int) float64 {
	if p, ok := a.(poisson); ok {
		return float64(n) / float64(p)
	}
	return 0
}

// AtOnce lets all requests arrive at the beginning.
func AtOnce() Arrivals { return atOnce{} }

type atOnce struct{}

func (atOnce) Times(n int, _ rand.Source) []time.Duration { return make([]time.Duration, n) }
func (atOnce) String() string                             { return "at-once" }

// Poisson lets so many requests arrive in a second, on average and independently of each
// other. The rate is positive; nobody arrives later than Longest.
func Poisson(rate float64) Arrivals { return poisson(rate) }

type poisson float64

func (p poisson) Times(n int, r rand.Source) []time.Duration {
	gap := float64(time.Second) / float64(p)
	times := make([]time.Duration, n)
	at := 0.0
	for i := range times {
		// Nanoseconds are counted in fractions: there may be many arrivals in one.
		at = min(at+float64(gap*-logarithm(unit(r))), float64(Longest))
		times[i] = time.Duration(at)
	}
	return times
}

func (p poisson) String() string {
	return "poisson:" + strconv.FormatFloat(float64(p), 'g', -1, 64) + "/s"
}

// Recording is Arrivals of a fixed number of requests.
type Recording interface {
	Arrivals
	// Len returns how many there are.
	Len() int
}

// Recorded lets requests arrive at these times.
func Recorded(name string, times []time.Duration) Recording {
	times = slices.Clone(times)
	slices.Sort(times)
	return recorded{name, times}
}

type recorded struct {
	name  string
	times []time.Duration
}

func (r recorded) Times(int, rand.Source) []time.Duration { return r.times }
func (r recorded) Len() int                               { return len(r.times) }
func (r recorded) String() string                         { return "file:" + r.name }

// ParseArrivals reads arrivals: at-once, poisson:1000/s or file:PATH for a file of times
// since the beginning, one a line. The error says what to write instead.
func ParseArrivals(text string) (Arrivals, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch {
	case text == "at-once":
		return AtOnce(), nil
	case kind == "poisson":
		return parsePoisson(rest)
	case kind == "file":
		f, err := os.Open(rest)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		times, err := readDurations(rest, f)
		return Recorded(rest, times), err
	}
	return nil, fmt.Errorf("arrivals %q cannot be read; write at-once, poisson:1000/s or file:PATH", text)
}

func parsePoisson(text string) (Arrivals, error) {
	number, per, ok := strings.Cut(text, "/")
	rate, err := strconv.ParseFloat(number, 64)
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}
	unit := units[per]
	if !ok || err != nil || unit == 0 || !(rate/unit.Seconds() >= 1e-6 && rate <= 1e9) {
		return nil, fmt.Errorf("the rate %q cannot be read; write how many arrive in a time, as poisson:1000/s, or with /m or /h, from one in a million seconds to 10^9 in one", text)
	}
	return Poisson(rate / unit.Seconds()), nil
}
