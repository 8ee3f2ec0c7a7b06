package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"lockstep/checks/sweep"
	"lockstep/scheduler"
)

// planOf is a grid of so many points.
func planOf(t *testing.T, axes ...string) *sweep.Plan {
	t.Helper()
	p := &sweep.Plan{Protocol: "lease", Design: sweep.Grid, Check: true}
	for _, text := range axes {
		a, err := sweep.ParseAxis(text)
		if err != nil {
			t.Fatal(err)
		}
		p.Axes = append(p.Axes, a)
	}
	return p
}

// done is what comes of a point: a verdict that tells its number.
func done(number int) *sweep.Checked {
	return &sweep.Checked{Exhausted: true, Verdicts: []sweep.Verdict{{Property: "mutual-exclusion", Verdict: scheduler.Violated, Steps: number + 1}}}
}

// counting is work that counts how often each point is done.
type counting struct {
	lock  sync.Mutex
	count map[int]int
	stop  func(n int)
}

func (c *counting) work(ctx context.Context, number, _ int, _ func(int64, float64)) (*sweep.Checked, *sweep.Simulated, error) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.count == nil {
		c.count = map[int]int{}
	}
	c.count[number]++
	if c.stop != nil {
		c.stop(len(c.count))
	}
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return done(number), nil, nil
}

func run(t *testing.T, ctx context.Context, p *sweep.Plan, s sweep.Shard, file string, c *counting, workers int) *sweep.Sweep {
	t.Helper()
	r, err := sweep.Run(ctx, p, s, file, c.work, sweep.Options{Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func contents(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The same plan gives the same bytes, for every number of workers, however it is interrupted, and in
// whatever shards; and no point is done twice.
func TestASweepIsTheSameHoweverItIsDone(t *testing.T) {
	dir := t.TempDir()
	p := planOf(t, "ttl=1s..10s/10", "pause=1x1s,1x2s,1x3s")
	whole := filepath.Join(dir, "whole.ndjson")
	if s := run(t, context.Background(), p, sweep.Whole, whole, &counting{}, 1); s.Partial || len(s.Points) != 30 {
		t.Fatalf("%d points, partial %t", len(s.Points), s.Partial)
	}
	want := contents(t, whole)

	workers := filepath.Join(dir, "workers.ndjson")
	run(t, context.Background(), p, sweep.Whole, workers, &counting{}, 3)
	if !bytes.Equal(contents(t, workers), want) {
		t.Error("three workers give other bytes")
	}

	interrupted, c := filepath.Join(dir, "interrupted.ndjson"), &counting{}
	for n := 7; n <= 35; n += 7 {
		ctx, cancel := context.WithCancel(context.Background())
		c.stop = func(done int) {
			if done == n {
				cancel()
			}
		}
		s := run(t, ctx, p, sweep.Whole, interrupted, c, 2)
		if s.Partial != (n <= 30) {
			t.Errorf("stopped at %d: partial %t", n, s.Partial)
		}
		cancel()
	}
	if !bytes.Equal(contents(t, interrupted), want) {
		t.Error("interruptions give other bytes")
	}

	var shards []string
	once := &counting{}
	for i := range 3 {
		file := filepath.Join(dir, fmt.Sprintf("shard%d.ndjson", i))
		run(t, context.Background(), p, sweep.Shard{Number: i + 1, Of: 3}, file, once, 2)
		shards = append(shards, file)
	}
	for number := range 30 {
		if once.count[number] != 1 {
			t.Errorf("point %d is done %d times by the shards", number, once.count[number])
		}
	}
	merged := filepath.Join(dir, "merged.ndjson")
	if _, err := sweep.Merge([]string{shards[2], shards[0], shards[1]}, merged); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(contents(t, merged), want) {
		t.Error("shards give other bytes")
	}
	if _, err := sweep.Merge(shards[:2], filepath.Join(dir, "less.ndjson")); err == nil || !strings.Contains(err.Error(), "3/3") {
		t.Errorf("a shard is missing: %v", err)
	}
	if _, err := sweep.Merge([]string{shards[0], shards[0], shards[1], shards[2]}, filepath.Join(dir, "more.ndjson")); err == nil {
		t.Error("a shard is given twice, and nobody minds")
	}
}

// What a killed sweep leaves behind, cut off at any byte, is gone on with to the same bytes; a point
// whose line is whole is not done again.
func TestATornFileIsGoneOnWith(t *testing.T) {
	dir := t.TempDir()
	p := planOf(t, "ttl=1s..6s/6")
	whole := filepath.Join(dir, "whole.ndjson")
	run(t, context.Background(), p, sweep.Whole, whole, &counting{}, 1)
	want := contents(t, whole)
	for cut := range want {
		file := filepath.Join(dir, "torn.ndjson")
		if err := os.WriteFile(file, want[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		c := &counting{}
		run(t, context.Background(), p, sweep.Whole, file, c, 1)
		if got := contents(t, file); !bytes.Equal(got, want) {
			t.Fatalf("cut off after %d bytes:\n%s\nis not\n%s", cut, got, want)
		}
		there := max(bytes.Count(want[:cut], []byte("\n"))-1, 0)
		if len(c.count) != 6-there {
			t.Errorf("cut off after %d bytes: %d points are done, and %d were there", cut, len(c.count), there)
		}
	}
}

// A file of another plan is refused, and left as it is; so is one that is no file of a sweep.
func TestAnotherPlanIsRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sweep.ndjson")
	run(t, context.Background(), planOf(t, "ttl=1s,2s"), sweep.Whole, file, &counting{}, 1)
	before := contents(t, file)
	other := planOf(t, "ttl=1s,2s")
	other.Protocol = "setnx"
	for name, x := range map[string]struct {
		plan  *sweep.Plan
		shard sweep.Shard
	}{
		"other values": {planOf(t, "ttl=1s,3s"), sweep.Whole}, "another axis": {planOf(t, "heartbeat=1s,2s"), sweep.Whole},
		"another protocol": {other, sweep.Whole}, "a shard": {planOf(t, "ttl=1s,2s"), sweep.Shard{Number: 1, Of: 2}},
	} {
		_, err := sweep.Run(context.Background(), x.plan, x.shard, file, (&counting{}).work, sweep.Options{})
		var refused *sweep.PlanError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !bytes.Equal(contents(t, file), before) {
		t.Error("the file was changed")
	}
	if err := os.WriteFile(file, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := sweep.Run(context.Background(), planOf(t, "ttl=1s,2s"), sweep.Whole, file, (&counting{}).work, sweep.Options{}); err == nil {
		t.Error("a table is taken for a sweep")
	}
}

// An error at a point says which, and what was done before is kept.
func TestAnErrorAtAPoint(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sweep.ndjson")
	broken := errors.New("broken")
	work := func(_ context.Context, number, _ int, _ func(int64, float64)) (*sweep.Checked, *sweep.Simulated, error) {
		if number == 2 {
			return nil, nil, broken
		}
		return done(number), nil, nil
	}
	_, err := sweep.Run(context.Background(), planOf(t, "ttl=1s..5s/5"), sweep.Whole, file, work, sweep.Options{Workers: 1})
	var at *sweep.PointError
	if !errors.As(err, &at) || at.Number != 2 || !errors.Is(err, broken) || !strings.Contains(err.Error(), "ttl 3s") {
		t.Errorf("%v", err)
	}
	s, err := sweep.Read(file)
	if err != nil || len(s.Points) != 2 || !s.Partial {
		t.Errorf("%+v, %v", s, err)
	}
}

// An axis has the values that it says, at equal distances where it says how many.
func TestAxes(t *testing.T) {
	for text, want := range map[string]string{
		"ttl=1s,2s,5s":                "1s 2s 5s",
		"ttl=1s..10s/4":               "1s 4s 7s 10s",
		"nodes=2..8/4":                "2 4 6 8",
		"pause=1x1s..1x12s/3":         "1x1s 1x6.5s 1x12s",
		"pause+pause-for=1x1s+0s..1s": "1x1s+0s..1s",
		"rebuild=1s..3s,2s..25s":      "1s..3s 2s..25s",
	} {
		a, err := sweep.ParseAxis(text)
		if err != nil || strings.Join(a.Values, " ") != want {
			t.Errorf("%s: %v, %v", text, a.Values, err)
		}
	}
	for _, text := range []string{"", "ttl", "ttl=", "=1s", "ttl=1s,1s", "ttl=1s..10s/1", "ttl=10s..1s/3", "a+b=1s"} {
		if a, err := sweep.ParseAxis(text); err == nil {
			p := &sweep.Plan{Axes: []sweep.Axis{a}, Design: sweep.Grid, Check: true}
			if _, err = p.Points(); err == nil {
				t.Errorf("%q is accepted: %v", text, a)
			}
		}
	}
}

// A random design takes as many points as it says, each part of each axis once, no point twice, and
// the same ones for the same seed.
func TestARandomDesign(t *testing.T) {
	p := planOf(t, "ttl=1s..20s/20", "pause=1x1s..1x20s/20")
	p.Design, p.Seed = sweep.Random(20), 7
	points, err := p.Points()
	if err != nil || len(points) != 20 {
		t.Fatalf("%d points, %v", len(points), err)
	}
	for axis := range 2 {
		seen := map[string]bool{}
		for _, point := range points {
			seen[point[axis]] = true
		}
		if len(seen) != 20 {
			t.Errorf("axis %d has %d of its 20 values", axis, len(seen))
		}
	}
	again, err := p.Points()
	if err != nil || fmt.Sprint(again) != fmt.Sprint(points) {
		t.Errorf("the same seed gives other points: %v", err)
	}
	p.Design = sweep.Random(500)
	if _, err := p.Points(); err == nil {
		t.Error("more points than there are combinations")
	}
}

// What a file has that is no result of the same plan is never replaced, neither by a sweep nor
// by a merge, and what is refused leaves nothing behind.
func TestWhatIsThereIsNotReplaced(t *testing.T) {
	here := t.TempDir()
	path := func(name string) string { return filepath.Join(here, name) }
	write := func(name, text string) string {
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	plan, other := planOf(t, "ttl=1s,2s"), planOf(t, "ttl=1s,3s")
	run(t, context.Background(), plan, sweep.Whole, path("whole"), &counting{}, 1)
	run(t, context.Background(), other, sweep.Whole, path("other"), &counting{}, 1)
	device := path("device")
	if err := os.Symlink(os.DevNull, device); err != nil {
		t.Skip(err)
	}
	refused := []string{"", "-", here, device, path("other"), write("notes", "remember the milk\n")}
	for _, out := range refused {
		before, _ := os.ReadFile(out)
		if _, err := sweep.Run(context.Background(), plan, sweep.Whole, out, (&counting{}).work, sweep.Options{}); err == nil {
			t.Errorf("a sweep is written to %q", out)
		}
		if _, err := sweep.Merge([]string{path("whole")}, out); err == nil {
			t.Errorf("a merge is written to %q", out)
		}
		if after, _ := os.ReadFile(out); !bytes.Equal(before, after) {
			t.Errorf("%q has changed", out)
		}
	}
	if left, _ := filepath.Glob(path("*.*")); len(left) > 0 {
		t.Errorf("%v is left behind", left)
	}
	if _, err := sweep.Merge([]string{path("whole")}, path("whole")); err != nil {
		t.Error(err)
	}
}

// A link stays one: what it names is written.
func TestALinkIsFollowed(t *testing.T) {
	here := t.TempDir()
	file, link := filepath.Join(here, "file"), filepath.Join(here, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Skip(err)
	}
	run(t, context.Background(), planOf(t, "ttl=1s,2s"), sweep.Whole, link, &counting{}, 1)
	if s, err := sweep.Read(file); err != nil || s.Partial {
		t.Errorf("the file has %v, %v", s, err)
	}
	if to, err := os.Readlink(link); err != nil || to != file {
		t.Errorf("the link is one to %q: %v", to, err)
	}
}
