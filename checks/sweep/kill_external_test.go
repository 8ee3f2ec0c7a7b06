package sweep_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"lockstep/checks/sweep"
)

// killedPoints is how many points the sweep has that is killed.
const killedPoints = 60

// TestASweepThatIsKilled is run by another process, which kills it: it writes which points it begins.
func TestASweepThatIsKilled(t *testing.T) {
	dir := os.Getenv("LOCKSTEP_TEST_SWEEP")
	if dir == "" {
		t.Skip("for TestAKilledSweepGoesOn")
	}
	begun, err := os.OpenFile(filepath.Join(dir, "begun"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer begun.Close()
	work := func(_ context.Context, number, _ int, _ func(int64, float64)) (*sweep.Checked, *sweep.Simulated, error) {
		_, err := fmt.Fprintln(begun, number)
		time.Sleep(2 * time.Millisecond)
		return done(number), nil, err
	}
	p := planOf(t, fmt.Sprintf("ttl=1s..%ds/%d", killedPoints, killedPoints))
	if _, err := sweep.Run(context.Background(), p, sweep.Whole, filepath.Join(dir, "sweep.ndjson"), work, sweep.Options{Workers: 2}); err != nil {
		t.Fatal(err)
	}
}

// A sweep whose process is killed by SIGKILL, again and again, goes on where it stopped: nothing that
// was written is lost or done again, and the file is that of a sweep that nobody killed.
func TestAKilledSweepGoesOn(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "sweep.ndjson")
	draw := rand.New(rand.NewPCG(1, 2))
	written := map[int]bool{}
	kills := 0
	for complete := false; !complete; {
		before := len(begunPoints(t, dir))
		c := exec.Command(self, "-test.run", "^TestASweepThatIsKilled$")
		c.Env = append(os.Environ(), "LOCKSTEP_TEST_SWEEP="+dir)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		over := make(chan error, 1)
		go func() { over <- c.Wait() }()
		// It is killed some time after it has begun to work, however long it takes to start.
		for !complete && len(begunPoints(t, dir)) == before {
			select {
			case err := <-over:
				if err != nil {
					t.Fatalf("it fails by itself: %v", err)
				}
				complete = true
			case <-time.After(time.Millisecond):
			}
		}
		if !complete {
			time.Sleep(time.Duration(draw.IntN(20)) * time.Millisecond)
			if err := c.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
			complete = <-over == nil
			kills++
		}
		for _, number := range begunPoints(t, dir)[before:] {
			if written[number] {
				t.Errorf("point %d is done again, and was written", number)
			}
		}
		for number := range writtenPoints(t, file) {
			written[number] = true
		}
		for number := range written {
			if !writtenPoints(t, file)[number] {
				t.Fatalf("point %d was written, and is lost", number)
			}
		}
		if kills > 500 {
			t.Fatal("it never gets to its end")
		}
	}
	whole := filepath.Join(dir, "whole.ndjson")
	run(t, context.Background(), planOf(t, fmt.Sprintf("ttl=1s..%ds/%d", killedPoints, killedPoints)), sweep.Whole, whole, &counting{}, 1)
	if !bytes.Equal(contents(t, file), contents(t, whole)) {
		t.Error("the file is not that of a sweep that nobody killed")
	}
	t.Logf("killed %d times", kills)
	if kills == 0 {
		t.Error("it was never killed")
	}
}

// begunPoints are the points that were begun, in that order.
func begunPoints(t *testing.T, dir string) []int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "begun"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var all []int
	for _, line := range strings.Fields(string(text)) {
		n, err := strconv.Atoi(line)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, n)
	}
	return all
}

// writtenPoints are the points of which a whole line is in the file.
func writtenPoints(t *testing.T, file string) map[int]bool {
	t.Helper()
	points := map[int]bool{}
	s, err := sweep.Read(file)
	if err != nil {
		// There is no whole first line yet.
		return points
	}
	for _, p := range s.Points {
		points[p.Number] = true
	}
	return points
}
