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
