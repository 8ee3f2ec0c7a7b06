package sweep

import (
	"fmt"
	"os"
	"slices"

	"lockstep/scheduler"
)

// Sweep is a plan with what came of its points.
type Sweep struct {
	Plan  *Plan `json:"plan"`
	Shard Shard `json:"-"`
	// Wanted is how many points there are to be, Partial: not all of them are here.
	Wanted  int  `json:"points_wanted"`
	Partial bool `json:"partial"`
	// Points are those that are done, in the order of the plan.
	Points []*Point `json:"points"`
}

func (c *contents) sweep() *Sweep {
	s := &Sweep{Plan: c.header.Plan, Shard: c.shard, Wanted: c.shard.size(len(c.values)), Points: slices.Clone(c.points)}
	if s.Points == nil {
		s.Points = []*Point{}
	}
	slices.SortFunc(s.Points, func(a, b *Point) int { return a.Number - b.Number })
	s.Partial = len(s.Points) < s.Wanted
	return s
}

// Read reads the file of a sweep, which need not be complete.
func Read(file string) (*Sweep, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return c.sweep(), nil
}

// Worse returns the worst that is known of any point: violated, in any run of the search or
// the simulation, before inconclusive before holds.
func (s *Sweep) Worse() scheduler.Result {
	worst := scheduler.Holds
	for _, p := range s.Points {
		switch check := p.Check.Worse(""); {
		case check == scheduler.Violated || p.Simulation.Violated():
			return scheduler.Violated
		case check == scheduler.Inconclusive:
			worst = check
		}
	}
	return worst
}
