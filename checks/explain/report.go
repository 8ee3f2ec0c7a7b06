package explain

import (
	"fmt"
	"strings"
	"time"

	"lockstep/model"
	"lockstep/scheduler"
)

// Report is a result for people and machines: with lines and times of the log.
type Report struct {
	// Protocol and Parameters are what was searched, Bounds the world.
	Protocol   string                 `json:"protocol"`
	Parameters []model.ParameterValue `json:"parameters"`
	Bounds     model.Bounds           `json:"bounds"`

	// Lock, Value and Source are the keys of the log, Nodes its clients.
	Lock   string `json:"lock,omitempty"`
	Value  string `json:"value,omitempty"`
	Source string `json:"source,omitempty"`
	Nodes  []Node `json:"nodes"`
	// LeftOut are clients that only look at the lock.
	LeftOut []Node `json:"left_out,omitempty"`
	// ReadFromLog are parameters that were not given.
	ReadFromLog []Parameter `json:"read_from_log"`
	// Commands is how many commands of the log matter, Back how often its clock stepped back.
	Commands int `json:"commands"`
	Back     int `json:"clock_steps_back"`

	// Explained: some run agrees with the log. CutOff says why it is not known that none does.
	Explained bool   `json:"explained"`
	CutOff    string `json:"cut_off,omitempty"`
	// Agreed is how many commands some run agrees with, from the beginning.
	Agreed int `json:"agreed"`
	// Faults are those of the run, Others those of other runs with as few; More: there may be
	// further ones.
	Faults []Fault `json:"faults"`
	// Begin is when the run begins.
	Begin  time.Time `json:"begin"`
	Others [][]Fault `json:"others,omitempty"`
	More   bool      `json:"more,omitempty"`
	// Rough: the times of Faults may lie further apart, since not everything was explored for that.
	Rough bool `json:"rough,omitempty"`
	// Deviation is by how much the times of the run differ from those of the log at most, of
	// Tolerance.
	Deviation time.Duration `json:"deviation_ns"`
	Tolerance time.Duration `json:"tolerance_ns"`
	// Violations are what the run violates.
	Violations []ReportedViolation `json:"violations"`

	// Impossible says which command no run comes to, and why.
	Impossible *Impossible `json:"impossible,omitempty"`
	// Tried is up to how many faults were tried.
	Tried int `json:"faults_tried"`
}

// Fault is one that a log does not show, at the earliest and at the latest.
type Fault struct {
	Fault   string `json:"fault"`
	Node    string `json:"node,omitempty"`
	Process string `json:"process,omitempty"`
	Text    string `json:"text"`
	Begin   Span   `json:"begin"`
	End     *Span  `json:"end,omitempty"`
	// LeastLength and MostLength are how long it lasts.
	LeastLength time.Duration `json:"least_length_ns,omitempty"`
	MostLength  time.Duration `json:"most_length_ns,omitempty"`
}

// Span is a range of times of the log.
type Span struct {
	Earliest time.Time `json:"earliest"`
	Latest   time.Time `json:"latest"`
}

// ReportedViolation is a property that the run violates.
type ReportedViolation struct {
	Property string    `json:"property"`
	Rule     string    `json:"rule"`
	Time     time.Time `json:"time"`
	// Place is the line of the log by which it is violated, empty if it is none.
	Place string `json:"place,omitempty"`
	Text  string `json:"text"`
}

// Impossible is a command that no run comes to.
type Impossible struct {
	Place   string    `json:"place"`
	Time    time.Time `json:"time"`
	Command string    `json:"command,omitempty"`
	Node    string    `json:"node,omitempty"`
	// Agreed is how many commands before it some run agrees with.
	Agreed int `json:"agreed"`
	// Instead is what the node can do there.
	Instead []Instead `json:"instead"`
	// Busy: the node has as many requests as can be there at once.
	Busy bool `json:"busy,omitempty"`
}

// Instead is what a node can do where it cannot do what the log has.
type Instead struct {
	Text   string       `json:"text"`
	Source model.Source `json:"source"`
	// Same: it is the command, but not at that time.
	Same bool `json:"same"`
	When Span `json:"when"`
}

// Report returns the result with lines and times of the log.
func (r *Result) Report() *Report {
	b := r.Reading
	p := &Report{
		Protocol: b.Scenario.Name, Parameters: b.Scenario.Parameters(), Bounds: b.Scenario.Bounds(),
		Lock: b.Lock, Value: b.Value, Source: b.Source, Nodes: b.Nodes, LeftOut: b.LeftOut, ReadFromLog: append([]Parameter{}, b.Parameters...),
		Commands: b.Commands, Back: b.Back, Explained: r.Trace != nil, CutOff: r.CutOff, Agreed: r.Matched, Faults: []Fault{}, More: r.More, Rough: r.Rough,
		Begin: b.At(0), Deviation: r.Deviation, Tolerance: b.settings.Tolerance, Violations: []ReportedViolation{}, Tried: r.Explanation.Faults,
	}
	for _, f := range r.Inferred {
		p.Faults = append(p.Faults, b.fault(&f))
	}
	for _, other := range r.Others {
		var all []Fault
		for _, f := range other {
			all = append(all, b.fault(&f))
		}
		p.Others = append(p.Others, all)
	}
	for _, v := range r.Violations {
		step := &r.Trace.Steps[v.Step-1]
		reported := ReportedViolation{Property: v.Property.Name(), Rule: v.Property.Rule(), Time: b.At(step.Time), Text: v.Text}
		for i, at := range r.Events {
			if at == v.Step {
				reported.Place, reported.Time = b.actions[i].place(), b.actions[i].at
			}
		}
		p.Violations = append(p.Violations, reported)
	}
	if r.Blocked != nil {
		p.Impossible = r.impossible()
	}
	return p
}

func (b *Reading) fault(f *scheduler.Inferred) Fault {
	text := Fault{Fault: f.Fault, Node: f.Node, Process: f.Process, Text: f.Text, Begin: b.span(f.Begin)}
	if f.End != nil {
		end := b.span(*f.End)
		text.End, text.LeastLength, text.MostLength = &end, f.Length.Least, f.Length.Most
	}
	return text
}

func (b *Reading) span(s scheduler.Between) Span { return Span{b.At(s.Least), b.At(s.Most)} }

func (r *Result) impossible() *Impossible {
	b := r.Reading
	i := &Impossible{Place: "the end of the log", Time: b.End, Agreed: r.Matched, Instead: []Instead{}}
	if at := r.Blocked.Event; at < len(b.actions) {
		a := b.actions[at]
		i.Place, i.Time, i.Command = a.place(), a.at, a.text
		if n := b.node(a); n >= 0 {
			i.Node = b.Nodes[n].Name
		}
	}
	i.Busy = r.Blocked.Busy && i.Node != ""
	for _, a := range r.Blocked.Instead {
		i.Instead = append(i.Instead, Instead{a.Text, a.Source, a.Fits, b.span(a.Between)})
	}
	return i
}

// Words says in words what a fault is and when it was.
func (f *Fault) Words() string {
	if f.End == nil {
		return fmt.Sprintf("%s, %s", f.Text, f.Begin.words("at"))
	}
	return fmt.Sprintf("%s for %s, from %s to %s", f.Text, lengths(f.LeastLength, f.MostLength), f.Begin.words(""), f.End.words(""))
}

func lengths(least, most time.Duration) string {
	if least == most {
		return model.FormatDuration(least)
	}
	return model.FormatDuration(least) + " to " + model.FormatDuration(most)
}

// words writes a span: a time, or between two of them.
func (s Span) words(at string) string {
	early, late := clock(s.Earliest), clock(s.Latest)
	if early == late {
		return strings.TrimSpace(at + " " + early)
	}
	return "between " + early + " and " + late
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// Words says in words why the log cannot have come about: a line that says what cannot happen, and
// one for each thing that can.
func (i *Impossible) Words() []string {
	at, who := clock(i.Time), i.Node
	if who != "" {
		at += ", " + who
	} else {
		who = "a node"
	}
	first := fmt.Sprintf("%s (%s) cannot happen: %s. ", strings.ToUpper(i.Place[:1])+i.Place[1:], at, i.Command)
	if i.Command == "" {
		first = fmt.Sprintf("The end of the log (%s) is not reached: before it a run is bound to do more than the log has. ", at)
	}
	if len(i.Instead) == 0 {
		return []string{first + "There " + who + " can do nothing at all that a log would show."}
	}
	lines := []string{first + "What " + who + " can do there:"}
	for _, a := range i.Instead {
		text := a.Text
		if a.Same {
			text = "this, but not then"
		}
		lines = append(lines, fmt.Sprintf("%s (%s), %s", text, a.Source.Short(), a.When.words("at")))
	}
	return lines
}
