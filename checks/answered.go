package checks

import (
	"cmp"
	"fmt"
	"slices"

	"lockstep/model"
)

// Answered is the property that no dead end is reachable: from every state there
// is a continuation without further faults after which no live request is left.
// The end of a pause is no fault. A request is live from the effect of its first
// operation (from its arrival, if that goes neither to a store nor to the source)
// until it returns, is cancelled, or its node crashes.
//
// Requests that go on taking steps for ever, and can never return, are such a dead end, too:
// [NoLivelock] is about those alone.
//
// What it reports is always true. Where only part of the times of a state is
// stuck it may stay silent.
func Answered() model.Property { return answered{} }

type answered struct{}

func (answered) Name() string    { return "answered" }
func (answered) Rule() string    { return "every request can still be answered, if no more faults happen" }
func (answered) Vacuous() string { return "no request ever arrived" }

func (answered) Settled(s *model.State) bool { return !live(s) }
func (answered) Pending(s *model.State) bool { return live(s) }

func live(s *model.State) bool {
	for i := range s.Processes {
		if awaited(&s.Processes[i]) {
			return true
		}
	}
	return false
}

// awaited reports whether the process is a live request.
func awaited(p *model.Process) bool {
	return p.IsRequest() && p.Active() && !p.New && !p.Cancelled
}

func (answered) Explain(t *model.Trace) string { return deadEnd(t, "can never be answered") }

// deadEnd says what becomes of one of the requests that have not returned.
func deadEnd(t *model.Trace, fate string) string {
	var waiting []string
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.Kind == "arrive" && s.Node[0] == 'n' {
			waiting = append(waiting, s.Process)
		}
		for k := range s.Marks {
			if m := &s.Marks[k]; m.Kind == "return" {
				waiting = without(waiting, func(p string) bool { return p == s.By(m) })
			}
		}
		if s.EndsNode() {
			waiting = without(waiting, func(p string) bool { return nodeOf(p) == s.Node })
		}
	}
	if len(waiting) == 0 {
		return "a request " + fate
	}
	text := fmt.Sprintf("from here on %s %s", stuck(t, waiting), fate)
	if key := lockWithoutTTL(t); key != "the lock" {
		text += ": " + keyName(key) + " stays for ever"
	}
	return text
}

// stuck picks, of the requests that have not returned, one that the trace shows least of
// after it has arrived: others still do something.
func stuck(t *model.Trace, waiting []string) string {
	last := map[string]int{}
	for i := range t.Steps {
		last[t.Steps[i].Process] = i
	}
	return slices.MinFunc(waiting, func(a, b string) int { return cmp.Compare(last[a], last[b]) })
}
