package cli

import (
	"fmt"
	"time"

	"lockstep/model"
	"lockstep/scheduler"
)

// simulateProgress shows how far a simulation has got, and how long it may still take.
type simulateProgress struct {
	*progress
	runs    int
	started time.Time
}

func newSimulateProgress(p *progress, runs int, what string) *simulateProgress {
	p.what = what
	return &simulateProgress{p, runs, time.Now()}
}

func (p *simulateProgress) show(s scheduler.SimulateProgress) {
	every := 10 * time.Second
	if p.live {
		every = 200 * time.Millisecond
	}
	elapsed := time.Since(p.started)
	if elapsed-p.last < every {
		return
	}
	p.last = elapsed
	p.print(progressText(p.what, s, p.runs, elapsed))
}

// progressText is a line of progress.
func progressText(what string, s scheduler.SimulateProgress, runs int, elapsed time.Duration) string {
	if what != "" {
		what += ", "
	}
	left := ""
	if s.Share > 0 {
		rest := time.Duration(float64(elapsed) * (1 - s.Share) / s.Share)
		left = fmt.Sprintf(", about %s left", model.FormatDuration(rest.Round(time.Second)))
	}
	return fmt.Sprintf("%s%.1f s: %d of %d runs, %.0f %%%s", what, elapsed.Seconds(), s.Runs, runs, 100*s.Share, left)
}
