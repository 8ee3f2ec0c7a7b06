package scheduler

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler/distribution"
)

// Limits on simulations.
const (
	MaxSimulatedNodes    = 10_000
	MaxSimulatedRequests = 10_000_000
	MaxSimulatedUpdates  = 150
	MaxRuns              = 100_000
)

// Simulation is what is simulated: a protocol, how many use it, and how the world treats
// them. Start from [NewSimulation]; the zero value has no nodes.
type Simulation struct {
	_ struct{}
	// Protocol is the protocol with its parameters. A parameter that is zero takes the
	// default from its tag, unless KeepZeros is set. Name is what it is called in reports;
	// its Go type if empty.
	Protocol  protocol.Protocol
	KeepZeros bool
	Name      string
	// Nodes is the number of nodes, 1 to MaxSimulatedNodes, Requests that of requests on
	// each, MaxSimulatedRequests in all; a recording of arrivals says how many there are
	// itself. They come to the nodes in turn.
	Nodes, Requests int
	// Jobs is the number of runs of the job on each node, which begin with it, if the protocol has one.
	Jobs int
	// Arrivals say when requests arrive.
	Arrivals distribution.Arrivals
	// Updates is the number of updates of the source, 0 to MaxSimulatedUpdates, each at any time
	// within UpdateWithin. Invalidate lets one delete the cached value afterwards.
	Updates      int
	UpdateWithin time.Duration
	Invalidate   bool
	// Latency is the time from the issue of a store or source operation to its effect, in a
	// check; any time within it is as likely as any other. LatencyOf, if it is not nil, is
	// drawn from instead. Reply is the time from there until the process observes it.
	Latency, Reply protocol.Range
	LatencyOf      distribution.Distribution
	// Rebuild, if it is not nil, is how long it takes to compute a value, whatever range the
	// protocol says. Otherwise any time within that range is as likely as any other.
	Rebuild distribution.Distribution
	// ValueTTL is the TTL of cached values, 0 for none.
	ValueTTL time.Duration
	// Replicas is how many replicas a store has, 1 to [model.MaxReplicas].
	Replicas int
	// Timeout is how long a process waits for a reply that never comes, at most.
	Timeout time.Duration
	// Faults are what strikes, [model.MaxFaults] kinds at most.
	Faults []SimulatedFault
	// RebuildBound is the number of rebuilds per expiry that is allowed, 0 for the number
	// that the protocol claims.
	RebuildBound int
	// Duration is when a run ends whatever is still under way; 0 for an hour after the last
	// request arrives.
	Duration time.Duration
	// Properties are those that are followed; see [Followed].
	Properties []model.Property
	// Seed is the seed of the first run, and each other run has the next one. Runs is their
	// number, 1 to MaxRuns.
	Seed uint64
	Runs int
}

// SimulatedFault is a fault that strikes now and then.
type SimulatedFault struct {
	Fault model.Fault
	// Every is the mean time until it strikes (again), which is exponentially distributed: each
	// node for itself, if it strikes nodes or what lies between a node and a store, otherwise the
	// whole fleet.
	Every time.Duration
	// Share is the part of the operations that it strikes, of those that it may, more than 0 and
	// at most 1: a fault that strikes operations has it in the place of Every.
	Share float64
	// Lasts is how long it lasts, or by how much later a request takes effect; nil for what
	// lasts no time, or for ever.
	Lasts distribution.Distribution
}

// NewSimulation returns the default simulation of a protocol: one run of 50 nodes with
// 2,000 requests each, all at the boundary, latency 0 to 5 ms, a timeout of 1 s, no updates, no faults.
func NewSimulation(p protocol.Protocol) Simulation {
	jobs := 0
	if s := (Scenario{Protocol: p}); p != nil && s.hasJob() {
		jobs = 1
	}
	return Simulation{
		Jobs: jobs, Protocol: p, Nodes: 50, Requests: 2000, Arrivals: distribution.AtOnce(), Latency: protocol.Range{Max: 5 * time.Millisecond},
		Timeout: time.Second, Replicas: 1, UpdateWithin: 30 * time.Second, Seed: 1, Runs: 1,
	}
}

// Followed returns whether a simulation can follow a property: one that is decided by what
// happens to entries, and by who believes to hold a lock. The others ask for more of the
// state than those who take part in a step, or are about all runs. The rebuild bound is
// followed by counting, whatever the number.
func Followed(name string) bool {
	switch name {
	case "mutual-exclusion", "no-stale-overwrite", "no-foreign-release", "no-orphaned-lock", rebuildBound:
		return true
	}
	return false
}

const rebuildBound = "rebuild-bound"

var errTooMany = errors.New("a step of the simulation concerns more processes than a state of the model holds; use fewer requests")

// Check reports whether the simulation makes sense and returns it with all defaults filled
// in. The error is a *ScenarioError.
func (c Simulation) Check() (Simulation, error) {
	s := c.small()
	s.RebuildBound = 1
	s, err := s.Check()
	if err != nil {
		return c, err
	}
	c.Protocol, c.KeepZeros, c.Name = s.Protocol, true, s.Name
	if c.Arrivals == nil {
		c.Arrivals = distribution.AtOnce()
	}
	if r, ok := c.Arrivals.(distribution.Recording); ok && c.Nodes > 0 {
		c.Requests = (r.Len() + c.Nodes - 1) / c.Nodes
	}
	for _, n := range []struct {
		what        string
		value       int
		least, most int
		setting     string
	}{
		{"nodes", c.Nodes, 1, MaxSimulatedNodes, "nodes"},
		{"requests a node", c.Requests, 1, MaxSimulatedRequests / max(c.Nodes, 1), "requests"},
		{"runs of the job on a node", c.Jobs, 0, MaxRequests, "jobs"},
		{"updates", c.Updates, 0, MaxSimulatedUpdates, "updates"},
		{"runs", c.Runs, 1, MaxRuns, "runs"},
		{"rebuilds as the bound", c.RebuildBound, 0, MaxSimulatedRequests, "rebuild-bound"},
	} {
		if n.value < n.least || n.value > n.most {
			return c, about(fmt.Errorf("%d %s: it must be %d to %d", n.value, n.what, n.least, n.most), n.setting)
		}
	}
	switch {
	case c.Jobs > 0 && !s.hasJob():
		return c, about(fmt.Errorf("%d runs of the job on a node: the protocol %s has no job", c.Jobs, c.Name), "jobs")
	case s.LongestDuration() > distribution.Longest || c.Duration > distribution.Longest || c.UpdateWithin > distribution.Longest:
		return c, wrong("a duration of %s: a simulation knows none that is longer than %s", model.FormatDuration(max(s.LongestDuration(), c.Duration, c.UpdateWithin)), model.FormatDuration(distribution.Longest))
	case c.Duration == 0 && distribution.Spread(c.Arrivals, c.Nodes*c.Requests) > distribution.Longest.Seconds():
		return c, about(fmt.Errorf("%d requests with arrivals %s take longer than %s on average, the longest that a simulation knows: use fewer requests or a higher rate, or say how long a run lasts",
			c.Nodes*c.Requests, c.Arrivals, model.FormatDuration(distribution.Longest)), "arrivals")
	case c.Duration < 0:
		return c, about(fmt.Errorf("a duration of %s: it must be positive, or 0 for an hour after the last request arrives", model.FormatDuration(c.Duration)), "duration")
	case c.UpdateWithin < 0:
		return c, about(fmt.Errorf("updates within %s: it must be 0 or longer", model.FormatDuration(c.UpdateWithin)), "update-within")
	}
	for i := range c.Faults {
		if err := c.Faults[i].check(); err != nil {
			return c, err
		}
	}
	for _, p := range c.Properties {
		if !Followed(p.Name()) {
			return c, about(fmt.Errorf("a simulation does not follow the property %s; lockstep check does", p.Name()), "property")
		}
	}
	if claimer, ok := c.Protocol.(protocol.Claimer); ok && c.RebuildBound == 0 {
		c.RebuildBound = claimer.ClaimedRebuilds(c.Nodes, c.Requests)
	}
	return c, nil
}

// small is a scenario of the same protocol in the same world that a check could explore.
func (c *Simulation) small() Scenario {
	s := NewScenario(c.Protocol)
	s.KeepZeros, s.Name, s.Requests, s.Jobs = c.KeepZeros, c.Name, 1, c.Jobs
	s.Updates, s.Invalidate = min(c.Updates, 1), c.Invalidate
	s.Latency, s.Reply, s.ValueTTL, s.Timeout, s.Replicas = c.Latency, c.Reply, c.ValueTTL, c.Timeout, c.Replicas
	for _, f := range c.Faults {
		s.Faults = append(s.Faults, f.Fault)
	}
	return s
}

// Parameters returns the parameters of the protocol with their values, in the order
// in which they are declared.
func (c *Simulation) Parameters() []model.ParameterValue { return c.scenario().Parameters() }

func (c *Simulation) scenario() Scenario {
	s := c.small()
	s.KeepZeros = true
	return s
}

// times returns when requests arrive in the run with a seed.
func (c *Simulation) times(seed uint64) []time.Duration {
	return c.Arrivals.Times(c.Nodes*c.Requests, rand.NewPCG(seed, seedOf(seed, arrivalStream)))
}

// prepared is a simulation that has been checked.
type prepared struct {
	Simulation
	scenario Scenario
	monitors []model.Monitor
	// bounds: the number of rebuilds is a property that is followed.
	bounds bool
	// whole is why everybody takes part in each step, nil if that need not be.
	whole    *wholeError
	patience time.Duration
}

// prepare checks a simulation.
func (c Simulation) prepare() (*prepared, error) {
	c, err := c.Check()
	if err != nil {
		return nil, err
	}
	p := &prepared{Simulation: c, scenario: c.scenario(), patience: 10 * time.Second}
	if p.scenario.boots() {
		p.whole = &wholeError{reason: "nodes that do something when they start"}
	}
	for _, property := range c.Properties {
		if property.Name() == rebuildBound {
			p.bounds = true
			continue
		}
		p.monitors = append(p.monitors, property.(model.Monitor))
	}
	return p, nil
}

// tick is what all durations have in common that are known.
func (p *prepared) tick() model.Tick { return p.scenario.tick() }

// until is when a run ends whatever is still under way, in ns.
func (p *prepared) until(requests []kin) int64 {
	if p.Duration > 0 {
		return int64(p.Duration)
	}
	last := int64(0)
	for i := range requests {
		last = max(last, requests[i].arrives)
	}
	return last + int64(time.Hour)
}
