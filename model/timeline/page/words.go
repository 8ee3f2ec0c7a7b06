package page

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// kindWords are what a step of a kind is called in the legend and in the table.
var kindWords = []struct{ kind, word string }{
	{"effect", "operation"}, {"reply", "reply"}, {"arrive", "arrival"}, {"expire", "expiry"},
	{"fault", "fault"}, {"recovery", "recovery"}, {"late", "too late"}, {"timeout", "timeout"}, {"other", "other"},
}

func kindWord(kind string) string {
	for _, k := range kindWords {
		if k.kind == kind {
			return k.word
		}
	}
	return kind
}

// notes say what a step does besides: what its process then believes, whom it answers.
func (s *story) notes(step *model.TraceStep) []string {
	var notes []string
	for i := range step.Marks {
		m := &step.Marks[i]
		who := step.By(m)
		switch m.Kind {
		case "acquired":
			notes = append(notes, who+" believes that it holds "+s.name(m.Subject))
		case "releasing":
			notes = append(notes, who+" no longer believes that it holds "+s.name(m.Subject))
		case "restart":
			notes = append(notes, who+" starts over")
		case "return":
			if run.Root(who) && strings.HasPrefix(who, "n") {
				notes = append(notes, who+" answers "+m.Subject)
			} else {
				notes = append(notes, who+" ends")
			}
		}
	}
	if len(step.Overdue) > 0 {
		notes = append(notes, "overdue: "+strings.Join(step.Overdue, ", "))
	}
	return notes
}

// who is whose step it is: a process, else a node, else a store.
func who(step *model.TraceStep) string {
	switch {
	case step.Process != "":
		return step.Process
	case step.Node != "":
		return step.Node
	case step.Key != "":
		return storeOf(step.Key)
	}
	return run.Store(step)
}

// place is the line of a step without the package: lease.go:34.
func place(s *model.Source) string {
	if s == nil {
		return ""
	}
	return s.Short()
}

func baseName(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

// pair is a name and a text.
type pair struct{ Name, Text string }

// scenario says what the verdict is limited to.
func scenario(t *model.Trace) []pair {
	b := &t.Bounds
	pairs := []pair{{"protocol", t.Protocol}}
	for _, p := range t.Parameters {
		pairs = append(pairs, pair{p.Name, p.Value})
	}
	add := func(name, text string) { pairs = append(pairs, pair{name, text}) }
	add("nodes", strconv.Itoa(b.Nodes))
	for _, o := range b.Others {
		add("other nodes", fmt.Sprintf("%d that run %s%s", o.Nodes, o.Protocol, settings(o.Parameters)))
	}
	add("requests a node", strconv.Itoa(b.Requests))
	if b.Endless {
		add("another request after each", "yes")
	}
	if b.Jobs > 0 {
		add("jobs a node", strconv.Itoa(b.Jobs))
	}
	add("updates", strconv.Itoa(b.Updates))
	if b.Invalidate {
		add("updates invalidate", "yes")
	}
	if b.ArriveWithin != nil {
		add("requests arrive within", model.FormatDuration(*b.ArriveWithin))
	}
	add("latency", b.Latency.String())
	add("reply", b.Reply.String())
	if b.ValueTTL > 0 {
		add("TTL of values", model.FormatDuration(b.ValueTTL))
	}
	if b.Timeout != nil {
		add("timeout", model.FormatDuration(*b.Timeout))
	}
	if b.Replicas > 1 {
		add("replicas", strconv.Itoa(b.Replicas))
	}
	for _, f := range b.Faults {
		add("fault "+f.Name, f.Value)
	}
	return pairs
}

func settings(parameters []model.ParameterValue) string {
	text := ""
	for _, p := range parameters {
		text += " " + p.Name + "=" + p.Value
	}
	return text
}
