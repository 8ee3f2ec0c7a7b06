package sweep

import (
	"lockstep/scheduler"
)

// Point is what came of a point.
type Point struct {
	// Number is its place in the plan, from 0, Values where it is on each axis.
	Number int      `json:"point"`
	Values []string `json:"values"`
	// Check is what the exhaustive search says, Simulation what the runs say; nil if the sweep
	// does not do that.
	Check      *Checked   `json:"check,omitempty"`
	Simulation *Simulated `json:"simulation,omitempty"`
}

// Checked are the verdicts at a point.
type Checked struct {
	Exhausted bool   `json:"exhausted"`
	CutOff    string `json:"cut_off,omitempty"`
	// Verdicts are in the order of the properties.
	Verdicts []Verdict `json:"verdicts"`
	// Rebuilds is the largest number for one expiry over all runs, as far as it was counted:
	// AtLeast says that there may be more. Nil if no property counts them.
	Rebuilds *scheduler.Worst `json:"rebuilds,omitempty"`
}

// Verdict is that on one property, without its trace: lockstep check has that.
type Verdict struct {
	Property string           `json:"property"`
	Verdict  scheduler.Result `json:"verdict"`
	// Faults and Steps are the cost of the counterexample, Minimal says that none is cheaper.
	Faults  int  `json:"faults,omitempty"`
	Steps   int  `json:"steps,omitempty"`
	Minimal bool `json:"minimal,omitempty"`
	// Vacuous says what never happened, Reason why an exhausted search is inconclusive.
	Vacuous string `json:"vacuous,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

// Simulated are the numbers at a point.
type Simulated struct {
	Runs int `json:"runs"`
	// Claimed is the number of rebuilds for one expiry that is allowed, 0 if nobody says.
	Claimed int `json:"claimed_rebuilds,omitempty"`
	// Measures are those that there are in any run: there are no waits if nobody was answered.
	Measures []Measure `json:"measures"`
	// Violations say in how many runs each property was violated.
	Violations []scheduler.PropertyCount `json:"violations"`
}

// Measure is a measurement of each run, summarized over the runs.
type Measure struct {
	Name string `json:"name"`
	scheduler.Summary
}

// Measure returns the measurement of the name.
func (s *Simulated) Measure(name string) (scheduler.Summary, bool) {
	if s == nil {
		return scheduler.Summary{}, false
	}
	for _, m := range s.Measures {
		if m.Name == name {
			return m.Summary, true
		}
	}
	return scheduler.Summary{}, false
}

// Violated reports whether a property was violated in any run.
func (s *Simulated) Violated() bool {
	if s == nil {
		return false
	}
	for _, v := range s.Violations {
		if v.Runs > 0 {
			return true
		}
	}
	return false
}

// Worse returns the worst verdict on the property, on all if it is empty: violated before
// inconclusive before holds. It is empty if there is none.
func (c *Checked) Worse(property string) scheduler.Result {
	var worst scheduler.Result
	if c == nil {
		return worst
	}
	for _, v := range c.Verdicts {
		if property != "" && v.Property != property {
			continue
		}
		switch {
		case v.Verdict == scheduler.Violated, worst == "":
			worst = v.Verdict
		case v.Verdict == scheduler.Inconclusive && worst != scheduler.Violated:
			worst = v.Verdict
		}
	}
	return worst
}
