package casebook

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Case is a way to break that has been reported.
type Case struct {
	_ struct{}
	// ID is the number under which the case is known, a letter and two digits: L-03.
	ID string
	// Rank orders the cases of a kind: those that are most common and most instructive
	// come first.
	Rank  int
	Kind  Kind
	Title string
	// Lesson is a paragraph: what goes wrong, why, and what repairs it.
	Lesson string
	// Sources are addresses of public reports.
	Sources []string
	// Differs says where the checker and the report disagree, and which is right; empty if
	// they agree.
	Differs string
	// Checks show it.
	Checks []Check
}

// Control reports whether the case is a claim that turned out to be none: nothing breaks,
// and nothing must be flagged.
func (c *Case) Control() bool { return c.Kind == NegativeControl }

// Check is a property that a variant breaks and another keeps.
type Check struct {
	_ struct{}
	// Shows tells the checks of a case apart, in a few words.
	Shows    string
	Property model.Property
	// Before violates the property, After keeps it. A negative control has only After:
	// what was claimed to break.
	Before, After protocol.Protocol
	// World is the smallest scenario that shows it.
	World World
	// Repaired, if there is one, is what the repair changes in the scenario: it is then not
	// in the protocol, or not there alone.
	Repaired World
	// Faults and Steps are those of the minimal counterexample.
	Faults, Steps int
	// Unharmed, if there is one, holds even before: what goes wrong is not about it.
	Unharmed model.Property
	// Unrepaired, if there is one, is violated even afterwards: the repair does not aim at
	// it.
	Unrepaired model.Property
}

// World changes a scenario.
type World func(s *scheduler.Scenario)

// Kind is a kind of case.
type Kind string

// The kinds, in the order in which they are listed.
const (
	BasicLock       Kind = "basic lock"
	Waiting         Kind = "waiting"
	Heartbeat       Kind = "heartbeat"
	Fencing         Kind = "fencing"
	Clock           Kind = "clock"
	StoreFailover   Kind = "store failover"
	QuorumLock      Kind = "quorum lock"
	ConsensusLock   Kind = "consensus lock"
	LeaderLease     Kind = "leader lease"
	DatabaseLock    Kind = "database lock"
	Operator        Kind = "operator"
	SingleFlight    Kind = "single-flight"
	Stampede        Kind = "stampede"
	StaleSet        Kind = "stale set"
	Incident        Kind = "incident"
	NegativeControl Kind = "negative control"
)

// Kinds returns all kinds in order.
func Kinds() []Kind {
	return []Kind{
		BasicLock, Waiting, Heartbeat, Fencing, Clock, StoreFailover, QuorumLock, ConsensusLock, LeaderLease,
		DatabaseLock, Operator, SingleFlight, Stampede, StaleSet, Incident, NegativeControl,
	}
}

var cases []Case

// add adds a case. It is for the init functions of the files.
func add(c Case) { cases = append(cases, c) }

// All returns all cases: by kind, and those of a kind by rank.
func All() []Case {
	kinds := Kinds()
	all := slices.Clone(cases)
	slices.SortFunc(all, func(a, b Case) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.Kind), slices.Index(kinds, b.Kind)), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.ID, b.ID))
	})
	return all
}

// Find returns the case with an id, in whatever case its letter is.
func Find(id string) (Case, bool) {
	for _, c := range cases {
		if strings.EqualFold(c.ID, id) {
			return c, true
		}
	}
	return Case{}, false
}

// Valid returns what a case lacks, nil if it is complete.
func (c *Case) Valid() error {
	lacks := func(what string) error { return fmt.Errorf("case %q lacks %s", c.ID, what) }
	switch {
	case len(c.ID) != 4 || c.ID[1] != '-':
		return fmt.Errorf("case %q: an id is a letter, a hyphen and two digits", c.ID)
	case !slices.Contains(Kinds(), c.Kind):
		return lacks("a kind")
	case c.Title == "":
		return lacks("a title")
	case len(strings.Fields(c.Lesson)) < 15:
		return lacks("a lesson of a paragraph")
	case len(c.Sources) == 0:
		return lacks("a source")
	case len(c.Checks) == 0:
		return lacks("a check")
	}
	for i := range c.Checks {
		k := &c.Checks[i]
		switch {
		case k.Shows == "" || k.Property == nil || k.World == nil:
			return lacks("what a check shows, its property or its world")
		case k.After == nil || k.Before == nil && !c.Control():
			return lacks("a variant before or after the repair")
		case k.Before != nil && k.Steps == 0:
			return lacks("the cost of the counterexample")
		}
	}
	return nil
}

//go:embed *.go
var files embed.FS

// Source returns the text of a file of the casebook by its name in a trace, as
// lockstep/protocol/casebook/l03.go.
func Source(file string) (text string, ok bool) {
	name, ok := strings.CutPrefix(file, "lockstep/protocol/casebook/")
	if !ok {
		return "", false
	}
	b, err := files.ReadFile(name)
	return string(b), err == nil
}

// Code returns the file of the case, and its text.
func (c *Case) Code() (file, text string, err error) {
	file = strings.ToLower(strings.ReplaceAll(c.ID, "-", "")) + ".go"
	content, err := files.ReadFile(file)
	return file, string(content), err
}
