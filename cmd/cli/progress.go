package cli

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"lockstep/scheduler"
)

// progress shows how far a search has got: one live line on a terminal, a plain
// line now and then elsewhere. It shows nothing of what is over at once.
type progress struct {
	w        io.Writer
	live     bool
	width    int
	last     time.Duration
	states   int64
	violated int
	shown    bool
	// what is explored, if that is one of many searches: then what they find is
	// no news.
	what string
}

func newProgress(w io.Writer) *progress {
	width, _, live := terminal(w)
	return &progress{w: w, live: live, width: width}
}

func (p *progress) show(s scheduler.Progress) {
	found := len(s.Violated) > p.violated && p.what == ""
	if s.Elapsed < p.last { // the search began again with a finer tick
		p.last, p.violated, p.states = 0, 0, 0
	}
	if !p.due(s.Elapsed) && !found {
		return
	}
	rate := float64(s.States-p.states) / max((s.Elapsed-p.last).Seconds(), 1e-3)
	p.last, p.states, p.violated = s.Elapsed, s.States, len(s.Violated)
	what := ""
	if p.what != "" {
		what = p.what + ", "
	}
	line := what + fmt.Sprintf("%.1f s: %d states, %.0f/s, queue %d, depth %d, %s", s.Elapsed.Seconds(), s.States, rate, s.Queue, s.Depth, formatBytes(s.Memory))
	if len(s.Violated) > 0 {
		line += "; violated: " + strings.Join(s.Violated, ", ")
	}
	p.print(line)
}

// due reports whether it is time for another line.
func (p *progress) due(elapsed time.Duration) bool {
	every := 10 * time.Second
	if p.live {
		every = 200 * time.Millisecond
	}
	return elapsed-p.last >= every
}

// print shows a line.
func (p *progress) print(line string) {
	if !p.live {
		fmt.Fprintln(p.w, line)
		return
	}
	if r := []rune(line); len(r) >= p.width {
		line = string(r[:p.width-1])
	}
	p.shown = true
	fmt.Fprintf(p.w, "\r\033[K%s", line)
}

// done clears the live line.
func (p *progress) done() {
	if p.shown {
		fmt.Fprint(p.w, "\r\033[K")
	}
}

// peakMemory is the most memory that the process ever had, in bytes, 0 where the
// system does not tell.
func peakMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kB, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 10, 64)
			if err != nil {
				return 0
			}
			return kB << 10
		}
	}
	return 0
}
