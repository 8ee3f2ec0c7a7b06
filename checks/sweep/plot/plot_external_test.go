package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"lockstep/checks/sweep"
	"lockstep/checks/sweep/plot"
	"lockstep/scheduler"
)

var size = plot.Size{Width: 16, Height: 10}

// swept is a sweep over two axes with one verdict of each kind, and a point that is missing.
func swept(t *testing.T) *sweep.Sweep {
	t.Helper()
	p := &sweep.Plan{Protocol: "lease", Design: sweep.Grid, Check: true, Properties: []string{"mutual-exclusion"}}
	for _, text := range []string{"ttl=1s,2s", "pause=1x1s,1x2s"} {
		a, err := sweep.ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Axes = append(p.Axes, a)
	}
	s := &sweep.Sweep{Plan: p, Wanted: 4, Partial: true}
	for i, r := range []scheduler.Result{scheduler.Holds, scheduler.Violated, scheduler.Inconclusive} {
		s.Points = append(s.Points, &sweep.Point{
			Number: i, Values: [][]string{{"1s", "1x1s"}, {"1s", "1x2s"}, {"2s", "1x1s"}}[i],
			Check: &sweep.Checked{Exhausted: true, Verdicts: []sweep.Verdict{{Property: "mutual-exclusion", Verdict: r}}},
		})
	}
	return s
}

// A map is XML, the same bytes each time, and its legend has in words what is there and nothing else.
func TestAMapSaysWhatItShows(t *testing.T) {
	var first []byte
	for range 3 {
		var b bytes.Buffer
		if err := plot.Map(&b, swept(t), plot.View{X: "ttl", Y: "pause"}, size); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = b.Bytes()
		}
		if !bytes.Equal(b.Bytes(), first) {
			t.Fatal("two drawings of one sweep differ")
		}
	}
	text := ""
	for d := xml.NewDecoder(bytes.NewReader(first)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if c, ok := token.(xml.CharData); ok {
			text += string(c) + "\n"
		}
	}
	for _, want := range []string{"ttl", "pause", "1s", "1x2s", "holds", "violated"} {
		if !strings.Contains(text, want) {
			t.Errorf("the map does not say %q:\n%s", want, text)
		}
	}
	s := swept(t)
	s.Points = s.Points[:1]
	var b bytes.Buffer
	if err := plot.Map(&b, s, plot.View{X: "ttl", Y: "pause"}, size); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "violated") {
		t.Error("a legend has what is not there")
	}
}

// What cannot be drawn is refused, with what to write instead.
func TestWhatCannotBeDrawn(t *testing.T) {
	for want, draw := range map[string]func(s *sweep.Sweep) error{
		"the axes of the sweep are": func(s *sweep.Sweep) error { return plot.Map(io.Discard, s, plot.View{X: "nodes"}, size) },
		"--at pause=":               func(s *sweep.Sweep) error { return plot.Map(io.Discard, s, plot.View{X: "ttl"}, size) },
		"no numbers": func(s *sweep.Sweep) error {
			return plot.Waits(io.Discard, s, plot.View{X: "ttl", Y: "pause"}, size)
		},
	} {
		if err := draw(swept(t)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// numbers is a sweep of three points whose claims and waits are these; a wait of 0 is none.
func numbers(claims []int, waits []float64) *sweep.Sweep {
	s := &sweep.Sweep{Plan: &sweep.Plan{Protocol: "p", Simulate: true, Design: sweep.Grid, Axes: []sweep.Axis{{Name: "nodes", Values: []string{"1", "2", "3"}}}}}
	for i := range claims {
		of := &sweep.Simulated{Runs: i + 1, Claimed: claims[i], Measures: []sweep.Measure{{Name: sweep.MostRebuilds, Summary: scheduler.Summary{Mean: 1, Most: 1}}}}
		if waits[i] > 0 {
			of.Measures = append(of.Measures, sweep.Measure{Name: sweep.WaitP99, Summary: scheduler.Summary{Mean: waits[i]}})
		}
		s.Points = append(s.Points, &sweep.Point{Number: i, Values: []string{s.Plan.Axes[0].Values[i]}, Simulation: of})
	}
	return s
}

// What is claimed is drawn as it is claimed at each point, and where nobody was answered there
// is no wait, rather than one of 0.
func TestCurvesShowWhatThereIs(t *testing.T) {
	for _, c := range []struct {
		claims    []int
		waits     []float64
		want, not string
	}{
		{[]int{2, 2, 2}, []float64{1, 1, 1}, ">claimed: 2<", ">p99: none<"},
		{[]int{1, 2, 3}, []float64{1, 0, 1}, ">claimed<", ">p99: none<"},
		{[]int{0, 0, 0}, []float64{0, 0, 0}, ">p99: none<", ">claimed"},
	} {
		var b bytes.Buffer
		s := numbers(c.claims, c.waits)
		if err := plot.Rebuilds(&b, s, plot.View{X: "nodes"}, size); err != nil {
			t.Fatal(err)
		}
		if err := plot.Waits(&b, s, plot.View{X: "nodes"}, size); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{c.want, ">1 to 3 runs a point<"} {
			if !strings.Contains(b.String(), want) {
				t.Errorf("claims %v, waits %v: there is no %s", c.claims, c.waits, want)
			}
		}
		if strings.Contains(b.String(), c.not) || strings.Contains(b.String(), "NaN") {
			t.Errorf("claims %v, waits %v: there is %s, or what is no number", c.claims, c.waits, c.not)
		}
	}
}
