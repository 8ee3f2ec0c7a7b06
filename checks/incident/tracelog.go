package incident

import (
	"io"
	"strings"
	"time"

	"lockstep/model"
)

// traceLog are the events of a trace: the commands that its steps send to the stores, and what
// its processes believe, read and answer.
type traceLog struct {
	trace *model.Trace
	step  int
	queue []*Event
	// owners are the tokens with which requests ask for locks, by request and key.
	owners map[[2]string]string
}

func newTraceLog(t *model.Trace) *traceLog {
	return &traceLog{trace: t, owners: map[[2]string]string{}}
}

// Next returns the next event, io.EOF after the last one.
func (l *traceLog) Next() (*Event, error) {
	for len(l.queue) == 0 {
		if l.step == len(l.trace.Steps) {
			return nil, io.EOF
		}
		l.step++
		l.take(&l.trace.Steps[l.step-1])
	}
	e := l.queue[0]
	l.queue = l.queue[1:]
	return e, nil
}

// take makes events of a step.
func (l *traceLog) take(s *model.TraceStep) {
	add := func(kind EventKind, process string) *Event {
		e := &Event{Time: time.Unix(0, int64(s.Time)).UTC(), Line: l.step, Node: s.Node, Client: process, Request: requestOf(process), Kind: kind}
		l.queue = append(l.queue, e)
		return e
	}
	if s.Kind == "arrive" && strings.HasPrefix(s.Node, "n") {
		add(Request, s.Process)
	}
	for _, c := range stepCommands(s, l.step) {
		l.queue = append(l.queue, eventOf(c))
	}
	done := s.Kind == "effect"
	switch {
	case done && s.Operation == "Source.Read" && strings.HasPrefix(s.Observation, "v"):
		add(RebuildStart, s.Process).Version = s.Observation
	case done && s.Operation == "Source.Update" && strings.HasPrefix(s.Observation, "v"):
		add(Updated, s.Process).Version = s.Observation
	case done && s.Operation == "Compute" && s.Observation == "ok":
		add(RebuildDone, s.Process)
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		if strings.HasPrefix(c.After, "#") && c.After != c.Before && s.Process != "" {
			l.owners[[2]string{requestOf(s.Process), c.Key}] = c.After
		}
		if done && versionOf(c.After) != "" && s.Process != "" {
			e := add(Stored, s.Process)
			e.Key, e.Value, e.Version = c.Key, c.After, versionOf(c.After)
		}
	}
	if s.EndsNode() {
		add(Crashed, "")
	}
	for i := range s.Marks {
		m := &s.Marks[i]
		by := s.By(m)
		switch m.Kind {
		case "acquired":
			e := add(Acquired, by)
			e.Key, e.Token = m.Subject, l.owners[[2]string{requestOf(by), m.Subject}]
			for k := range s.Changes {
				if s.Changes[k].Key == m.Subject {
					e.TTL = s.Changes[k].AfterTTL
				}
			}
		case "releasing":
			e := add(Release, by)
			e.Key, e.Token = m.Subject, l.owners[[2]string{requestOf(by), m.Subject}]
		case "return":
			if by == requestOf(by) && strings.HasPrefix(s.Node, "n") {
				kind := Answered
				if strings.HasPrefix(m.Subject, "stale") {
					kind = Stale
				}
				add(kind, by).Name = m.Subject
			}
		}
	}
}

// versionOf is the version of the source from which a value of a trace was computed.
func versionOf(value string) string {
	word, _, _ := strings.Cut(value, " ")
	if number(word) < 0 || !strings.HasPrefix(word, "v") {
		return ""
	}
	return word
}
