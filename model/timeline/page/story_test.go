package page

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/model"
	"lockstep/model/timeline/internal/golden"
)

func leaseStory(t *testing.T) *story {
	t.Helper()
	return newStory(golden.Trace(t, "../testdata/lease.json"))
}

// at returns steps at these times.
func at(times ...time.Duration) []model.TraceStep {
	var steps []model.TraceStep
	for _, d := range times {
		steps = append(steps, model.TraceStep{Time: d})
	}
	return steps
}

// Steps stand in their order, each in a column of its own, and gaps to scale have one scale.
func TestTheAxisKeepsTheOrderAndTheScale(t *testing.T) {
	for _, times := range [][]time.Duration{
		{0},
		{0, 0, 0},
		{0, 2 * time.Second, 2 * time.Second, 10 * time.Second, 10 * time.Second, 12 * time.Second},
		{0, time.Nanosecond, time.Hour, time.Hour + time.Millisecond},
		{math.MinInt64, math.MaxInt64, 0, -5, 5},
		slices.Repeat([]time.Duration{0, 1}, 2000),
	} {
		a := newAxis(at(times...))
		for i := 1; i < len(times); i++ {
			if a.left[i] < a.left[i-1]+a.column {
				t.Errorf("%v: the columns of steps %d and %d overlap", times[:2], i-1, i)
			}
		}
		if a.reach(len(times)) != a.end || a.end <= a.left[len(times)-1]+a.column {
			t.Errorf("%v: there is nothing after the last step", times[:1])
		}
		scale := 0.0
		for _, g := range a.gaps {
			if width := g.to - g.from; width < gapLeast || width > gapMost {
				t.Errorf("%v: a gap has %v pixels", times, width)
			}
			if !g.scaled {
				continue
			}
			// A width is rounded to a whole number of pixels.
			if s := g.passes() / (g.to - g.from); scale == 0 {
				scale = s
			} else if math.Abs(s-scale) > 0.03*scale {
				t.Errorf("%v: gaps to scale have %v and %v nanoseconds a pixel", times, s, scale)
			}
		}
	}
}

// Times within a gap are where they belong.
func TestTicksAreTrue(t *testing.T) {
	g := gap{since: 2 * time.Second, until: 10 * time.Second, from: 100, to: 500, scaled: true}
	times, places := g.within()
	if len(times) == 0 {
		t.Fatal("there are no ticks")
	}
	for i, d := range times {
		if want := 100 + (d.Seconds()-2)*50; math.Abs(places[i]-want) > 0.5 {
			t.Errorf("%s is at %v, not at %v", d, places[i], want)
		}
		if d%time.Second != 0 {
			t.Errorf("%s is not round", d)
		}
	}
	g.scaled = false
	if times, _ := g.within(); times != nil {
		t.Error("a gap that is not to scale has ticks")
	}
}

// In the lease under a pause, n0 goes on believing when its lock has expired and n1 has it.
func TestBeliefsAreComparedWithTheStore(t *testing.T) {
	s := leaseStory(t)
	key := "store/lock:feed"
	p := slices.Index(s.processes, "n0/0")
	var told []string
	for _, b := range s.beliefs(p, key) {
		told = append(told, b.text)
	}
	if want := []string{agreed, "nobody holds it", "n1/0 holds it"}; !slices.Equal(told, want) {
		t.Errorf("n0/0: %q, not %q", told, want)
	}
	conflicts := s.conflicts(key)
	if len(conflicts) == 0 || conflicts[0].text != "n0/0 and n1/0" {
		t.Errorf("conflicts: %v", conflicts)
	}
	k := slices.Index(s.keys, key)
	for i := range s.moments {
		if e := &s.moments[i].entries[k]; e.left < 0 || e.left > e.ttl || e.before > e.left {
			t.Errorf("step %d: of %s there are %s, then %s left", i+1, e.ttl, e.left, e.before)
		}
	}
}

// What the source has is known from updates and commits, and a stale read takes nothing back.
func TestTheVersionOfTheSource(t *testing.T) {
	version := 1
	for _, c := range []struct {
		operation, observation string
		want                   int
	}{
		{"Source.Read", "v1", 1},
		{"Source.Update", "v2", 2},
		{"Source.Read", "v1", 2},
		{"Source.Begin", "ok", 2},
		{"Source.Commit", "ok", 3},
		{"Source.Commit", "error", 3},
		{"Get", "v9", 3},
		{"Source.Read", "v4 of feed", 4},
		{"Source.Read", "vx", 4},
	} {
		version = sourceAfter(version, &model.TraceStep{Kind: "effect", Operation: c.operation, Observation: c.observation})
		if version != c.want {
			t.Errorf("after %s -> %s it is %d, not %d", c.operation, c.observation, version, c.want)
		}
	}
}

// Faults last until what ends them.
func TestFaultsLastUntilTheyAreOver(t *testing.T) {
	trace := &model.Trace{Steps: []model.TraceStep{
		{Kind: "fault", Fault: "partition", Node: "n0", Arguments: []string{"store"}},
		{Kind: "fault", Fault: "store-pause", Arguments: []string{"store"}},
		{Kind: "recovery", Fault: "partition", Node: "n1", Arguments: []string{"store"}},
		{Kind: "recovery", Fault: "partition", Node: "n0", Arguments: []string{"store"}},
	}}
	s := newStory(trace)
	if got := s.strikes("store", "n0"); len(got) != 1 || got[0].first != 0 || got[0].last != 3 {
		t.Errorf("the partition: %v", got)
	}
	if got := s.strikes("store", ""); len(got) != 1 || got[0].first != 1 || got[0].last != 4 {
		t.Errorf("the pause: %v", got)
	}
}

// Every line of a source is shown once, as it is, whatever is in it.
func TestHighlightingLosesNothing(t *testing.T) {
	for _, text := range []string{
		"", "\n", "package p\n", "not go at all: `\n\"", "/* a\nb */ func f() { return `c\nd` }\n", "x := 1 // <b>\r\n\ty\n", "\x00\xff\u2028",
	} {
		var plain []string
		for _, line := range highlight(text) {
			s := string(line)
			for _, tag := range []string{`<span class="comment">`, `<span class="keyword">`, `<span class="literal">`, `</span>`} {
				s = strings.ReplaceAll(s, tag, "")
			}
			if strings.ContainsAny(s, "<>") {
				t.Errorf("%q has a line %q", text, line)
			}
			plain = append(plain, s)
		}
		want := strings.Count(strings.TrimSuffix(text, "\n"), "\n") + 1
		if len(plain) != want {
			t.Errorf("%q has %d lines, not %d", text, len(plain), want)
		}
	}
	lines := highlight("package p\n")
	if len(lines) != 1 || lines[0] != `<span class="keyword">package</span> p` {
		t.Errorf("%q", lines)
	}
}
