package analysis

import (
	"context"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Column is a class of faults that protocols are tried with.
type Column struct {
	Name string
	// Help says what goes wrong.
	Help string
	// apply changes the scenario to it.
	apply func(s *scheduler.Scenario) error
}

// The magnitudes of the columns: a pause longer than the leases of the catalogue
// survive, and rebuilds longer than any TTL.
const (
	longPause   = 12 * time.Second
	slowRebuild = 60 * time.Second
)

// Columns returns the classes of faults; full adds crash and pause together.
func Columns(full bool) []Column {
	columns := []Column{
		{"none", "no faults", func(*scheduler.Scenario) error { return nil }},
		{"slow", "rebuilds of up to " + model.FormatDuration(slowRebuild) + ", slower than the TTL of any lock", slow},
		{"crash", "1 crash of a node", func(s *scheduler.Scenario) error {
			s.Faults = []model.Fault{faults.Crash(1)}
			return nil
		}},
		{"pause", "1 stop-the-world pause of a node, of up to " + model.FormatDuration(longPause), func(s *scheduler.Scenario) error {
			s.Faults = []model.Fault{faults.Pause(1, longPause)}
			return nil
		}},
	}
	if full {
		columns = append(columns, Column{"crash+pause", "1 crash and 1 pause, of any nodes", func(s *scheduler.Scenario) error {
			s.Faults = []model.Fault{faults.Crash(1), faults.Pause(1, longPause)}
			return nil
		}})
	}
	return columns
}

// slow lets the parameter rebuild of the protocol, a range, go up to slowRebuild. A
// protocol without one is as fast as ever.
func slow(s *scheduler.Scenario) error {
	text, err := protocol.ParameterText(s.Protocol, "rebuild")
	if err != nil {
		return nil
	}
	r, err := model.ParseRange(text)
	if err != nil {
		return err
	}
	r.Max = max(r.Max, slowRebuild)
	return protocol.SetParameter(s.Protocol, "rebuild", r.String())
}

// Cell is what becomes of a protocol in a column.
type Cell struct {
	Column string
	Report *scheduler.Report
	// Rebuilds is the largest number of rebuilds for one expiry, Claimed the
	// number that the protocol claims, 0 if it claims none; AtLeast: there may be more.
	Rebuilds, Claimed int
	AtLeast           bool
}

// Broken returns the names of the properties that the protocol breaks, in the order
// in which they are shown.
func (c *Cell) Broken() []string {
	var names []string
	for _, v := range c.Report.Verdicts {
		if v.Verdict == scheduler.Violated || v.Property == rebuilds && c.Claimed > 0 && c.Rebuilds > c.Claimed {
			names = append(names, v.Property)
		}
	}
	return names
}

const rebuilds = "rebuild-bound"

// CheckCell checks all properties of the scenario with the faults of the column. The
// number of rebuilds is counted as far as every request can start one, so that the
// largest is exact. The scenario's protocol must be a pointer, since a column may change
// parameters of a copy of it.
func CheckCell(ctx context.Context, s scheduler.Scenario, c Column, o scheduler.Options) (*Cell, error) {
	s, err := applied(s, c)
	if err != nil {
		return nil, err
	}
	cell := &Cell{Column: c.Name, Claimed: s.RebuildBound}
	s.RebuildBound = max(s.RebuildBound, s.Nodes*s.Requests)
	if cell.Report, err = scheduler.Check(ctx, s, checks.All(s.RebuildBound), o); err != nil {
		return nil, err
	}
	for _, v := range cell.Report.Verdicts {
		if v.Property == rebuilds {
			cell.Rebuilds, cell.AtLeast = v.Most, v.AtLeast
		}
	}
	return cell, nil
}

// ExplainCell checks the same with the number of rebuilds that the protocol claims,
// so that each broken property has its counterexample.
func ExplainCell(ctx context.Context, s scheduler.Scenario, c Column, o scheduler.Options) (*scheduler.Report, error) {
	s, err := applied(s, c)
	if err != nil {
		return nil, err
	}
	return scheduler.Check(ctx, s, checks.All(s.RebuildBound), o)
}

func applied(s scheduler.Scenario, c Column) (scheduler.Scenario, error) {
	s, err := s.Check()
	if err != nil {
		return s, err
	}
	err = c.apply(&s)
	return s, err
}
