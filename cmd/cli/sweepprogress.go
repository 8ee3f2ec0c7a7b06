package cli

import (
	"fmt"
	"time"

	"lockstep/checks/sweep"
	"lockstep/model"
)

// sweepProgress shows how far a sweep has got, and how long it may still take.
type sweepProgress struct {
	*progress
	axes  []sweep.Axis
	file  string
	began bool
}

func newSweepProgress(p *progress, axes []sweep.Axis, file string) *sweepProgress {
	return &sweepProgress{progress: p, axes: axes, file: file}
}

func (p *sweepProgress) show(s sweep.Progress) {
	if !p.began {
		p.began = true
		if s.Before > 0 {
			fmt.Fprintf(p.w, "%s has %d of %s; going on with the others\n", p.file, s.Before, model.Count(s.Wanted, "point", "points"))
		}
		return
	}
	every := 10 * time.Second
	if p.live {
		every = 200 * time.Millisecond
	}
	if s.Elapsed-p.last < every {
		return
	}
	p.last = s.Elapsed
	p.print(sweepProgressText(s, p.axes))
}

// sweepProgressText is a line of progress.
func sweepProgressText(s sweep.Progress, axes []sweep.Axis) string {
	text := fmt.Sprintf("%.1f s: %d of %d points, %.0f %%", s.Elapsed.Seconds(), s.Done, s.Wanted, 100*float64(s.Done)/float64(max(s.Wanted, 1)))
	if now := s.Done - s.Before; now > 0 {
		text += fmt.Sprintf(", %.1f a minute, about %s left", float64(now)/s.Elapsed.Minutes(), model.FormatDuration(s.Left.Round(time.Second)))
	}
	switch {
	case s.Share > 0:
		text += fmt.Sprintf("; %s: %.0f %% simulated", sweep.Words(axes, s.Point), 100*s.Share)
	case s.States > 0:
		text += fmt.Sprintf("; %s: %d states", sweep.Words(axes, s.Point), s.States)
	}
	return text
}
