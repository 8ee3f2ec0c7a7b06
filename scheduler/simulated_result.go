package scheduler

import (
	"slices"
	"time"

	"lockstep/model"
)

// RunResult is what came of one run of a simulation.
type RunResult struct {
	Seed uint64 `json:"seed"`
	// Requests is how many there were: Answered have returned, Lost were on a node that
	// crashed, or came to it afterwards, Unanswered still waited at the end, and NotArrived had
	// not arrived when the run was cut short or stopped.
	Requests   int `json:"requests"`
	Answered   int `json:"answered"`
	Lost       int `json:"lost"`
	Unanswered int `json:"unanswered"`
	NotArrived int `json:"not_arrived"`
	// Answers says how they were answered. Outdated is how many of the fresh answers had a
	// value that was older than the source when they returned.
	Answers  AnswerCounts `json:"answers"`
	Outdated int          `json:"outdated"`
	// Rebuilds is how many started, RebuildsPerExpiry how many for each expiry or
	// invalidation of a cached value, the first for the empty cache at the beginning. They
	// count as for the property rebuild-bound.
	Rebuilds          int   `json:"rebuilds"`
	RebuildsPerExpiry []int `json:"rebuilds_per_expiry"`
	// ConcurrentRebuilds is how many were under way at the same time, at most.
	ConcurrentRebuilds int `json:"concurrent_rebuilds"`
	// Commands is how many the requests sent to the stores.
	Commands int64 `json:"store_commands"`
	// Waits say how long those waited that were answered, from their arrival.
	Waits Waits `json:"waits"`
	// Strikes is how often each fault struck, in the order of the simulation.
	Strikes []int `json:"strikes"`
	// Violations are the properties that are violated, in the order of their first times.
	Violations []Breach `json:"violations"`
	// Lasted is how long the run lasted. CutShort: its duration was over while something was
	// under way. Stopped: it was stopped from outside, so these are results until then.
	Lasted   time.Duration `json:"lasted_ns"`
	CutShort bool          `json:"cut_short"`
	Stopped  bool          `json:"stopped"`
}

// Breach is when a property is violated for the first time in a run.
type Breach struct {
	Property string        `json:"property"`
	At       time.Duration `json:"at_ns"`
}

// AnswerCounts counts answers by kind.
type AnswerCounts struct {
	Fresh   int `json:"fresh"`
	Stale   int `json:"stale"`
	Default int `json:"default"`
	Empty   int `json:"empty"`
	Failed  int `json:"failed"`
}

func (c *AnswerCounts) count(k model.AnswerKind) {
	switch k {
	case model.AnsweredFresh:
		c.Fresh++
	case model.AnsweredStale:
		c.Stale++
	case model.AnsweredDefault:
		c.Default++
	case model.AnsweredEmpty:
		c.Empty++
	case model.AnsweredFailed:
		c.Failed++
	}
}

// Waits are percentiles of waits: the wait that so many of a hundred do not exceed (the
// nearest rank).
type Waits struct {
	P50  time.Duration `json:"p50_ns"`
	P99  time.Duration `json:"p99_ns"`
	P999 time.Duration `json:"p999_ns"`
	Max  time.Duration `json:"max_ns"`
}

// waitsOf returns the percentiles of waits, which it sorts.
func waitsOf(all []time.Duration) Waits {
	if len(all) == 0 {
		return Waits{}
	}
	slices.Sort(all)
	rank := func(perMille int64) time.Duration { return all[(int64(len(all))*perMille+999)/1000-1] }
	return Waits{rank(500), rank(990), rank(999), all[len(all)-1]}
}

// MostRebuilds is the largest number of rebuilds for one expiry.
func (r *RunResult) MostRebuilds() int { return slices.Max(r.RebuildsPerExpiry) }

func newRunResult(c *prepared, seed uint64) *RunResult {
	return &RunResult{Seed: seed, RebuildsPerExpiry: []int{0}, Strikes: make([]int, len(c.Faults)), Violations: []Breach{}}
}

// conclude completes the result of a run that is over.
func (m *simulator) conclude() {
	r := m.result
	r.Requests = m.others.asked
	m.countAbsent()
	r.Unanswered = r.Requests - r.Answered - r.Lost - r.NotArrived
	r.Waits = waitsOf(m.waitsOf)
	r.Lasted = m.time()
}

// countAbsent counts the requests that would have arrived later, had the run gone on. Those to
// nodes that had crashed count as lost until then.
func (m *simulator) countAbsent() {
	if r := m.result; r.CutShort || r.Stopped {
		for root := range m.families[:r.Requests] {
			if f := &m.families[root]; f.arrives > m.now {
				r.NotArrived++
				if m.places[f.node].node.Status == model.Crashed {
					r.Lost--
				}
			}
		}
	}
}

// worse reports whether a run went worse than another: more properties violated, then more
// rebuilds for one expiry, then fewer requests answered, then a longer wait. Of two that
// are alike the earlier one is worse.
func (r *RunResult) worse(than *RunResult) bool {
	for _, c := range [][2]int64{
		{int64(len(r.Violations)), int64(len(than.Violations))},
		{int64(r.MostRebuilds()), int64(than.MostRebuilds())},
		{int64(r.Unanswered), int64(than.Unanswered)},
		{int64(r.Waits.Max), int64(than.Waits.Max)},
	} {
		if c[0] != c[1] {
			return c[0] > c[1]
		}
	}
	return false
}
