package scheduler

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// Limits on scenarios. Beyond them a search would not end within a lifetime.
const (
	MaxNodes    = 16
	MaxRequests = 16
	MaxUpdates  = 8
	MaxOthers   = 3
	maxRoots    = 32
)

// Scenario is what a search explores: a protocol, who runs it, in which world.
// Start from [NewScenario]; the zero value has no nodes.
type Scenario struct {
	_ struct{}
	// Protocol is the protocol with its parameters. A parameter that is zero
	// takes the default from its tag, unless KeepZeros is set.
	Protocol  protocol.Protocol
	KeepZeros bool
	// Name is what the protocol is called in reports; its Go type if empty.
	Name string
	// Nodes is the number of nodes, 1 to MaxNodes, Requests that of requests on
	// each, 1 to MaxRequests, and Updates that of updates of the source, 0 to
	// MaxUpdates. Each request and update arrives at any time, or never.
	Nodes, Requests, Updates int
	// Endless lets another request come after each one that has returned, at any time, or
	// never: Requests is then how many there can be at once on each node.
	Endless bool
	// Jobs is the number of runs of the job on each node, 0 to MaxRequests; see
	// protocol.Jobber.
	Jobs int
	// Others are further nodes, which run a protocol of their own, with as many requests
	// and jobs each: another configuration, an older version. At most MaxOthers.
	Others []Other
	// ArriveWithin, if it is not nil, makes each request arrive, and not later than so
	// long after the beginning: 0 for all of them at once, as when a value has just
	// expired.
	ArriveWithin *time.Duration
	// Invalidate lets an update delete the cached value after it has changed the
	// source.
	Invalidate bool
	// Latency is the time from the issue of a store or source operation to its
	// effect, Reply the time from there until the process observes it.
	Latency, Reply protocol.Range
	// ValueTTL is the TTL of cached values, 0 for none.
	ValueTTL time.Duration
	// Timeout is how long a process waits at most for a reply that never comes, until
	// it gets an error. It means nothing without a fault that loses requests or
	// replies.
	Timeout time.Duration
	// Replicas is how many replicas each store has, 1 to model.MaxReplicas; at most one of
	// them lags. It means nothing unless the protocol waits for replicas.
	Replicas int
	// Faults are what may go wrong; see package faults.
	Faults []model.Fault
	// RebuildBound is the number of rebuilds per expiry to check. 0 stands for
	// the number that the protocol claims.
	RebuildBound int

	// within is the longest wait that a property allows, nil if none asks: what
	// waits for longer is a step of its own, also in traces of other properties.
	within *time.Duration
	// watches: it is not about requests from their arrival on; see model.Watching.
	watches bool
}

// Other says how many nodes run another protocol, and which. Its parameters are treated as
// those of the scenario's.
type Other struct {
	Protocol protocol.Protocol
	Nodes    int
}

// NewScenario returns the default scenario for a protocol: 2 nodes with 1 request
// each, 2 if requests of one node share work ([protocol.Sharer]), 1 run of the job on each if
// there is one ([protocol.Jobber]), 1 update without
// invalidation, latency 0 to 5 ms, a timeout of 1 s, one replica of each store, no faults.
func NewScenario(p protocol.Protocol) Scenario {
	s := Scenario{Protocol: p, Nodes: 2, Requests: 1, Updates: 1, Latency: protocol.Range{Max: 5 * time.Millisecond}, Timeout: time.Second, Replicas: 1}
	if sharer, ok := p.(protocol.Sharer); ok && sharer.SharesOnNode() {
		s.Requests = 2
	}
	if _, ok := p.(protocol.Jobber); ok {
		s.Jobs = 1
	}
	return s
}

// ScenarioError says that a scenario makes no sense.
type ScenarioError struct {
	Err error
	// Settings are what it is about, as far as that is known: fields of the
	// scenario, in kebab case as flags are ("value-ttl"), and faults by their names.
	Settings []string
}

func (e *ScenarioError) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *ScenarioError) Unwrap() error { return e.Err }

func wrong(format string, args ...any) error {
	return &ScenarioError{Err: fmt.Errorf(format, args...)}
}

// about says which settings the error is about.
func about(err error, settings ...string) error {
	return &ScenarioError{Err: err, Settings: settings}
}

// Check reports whether the scenario makes sense and returns it with all
// defaults filled in.
func (s Scenario) Check() (Scenario, error) {
	if s.Protocol == nil || reflect.ValueOf(s.Protocol).Kind() == reflect.Pointer && reflect.ValueOf(s.Protocol).IsNil() {
		return s, wrong("the scenario has no protocol")
	}
	if s.Name == "" {
		s.Name = typeName(s.Protocol)
	}
	if err := s.complete(); err != nil {
		return s, err
	}
	for _, n := range []struct {
		what        string
		value       int
		least, most int
		settings    []string
	}{
		{"nodes", s.Nodes, 1, MaxNodes, []string{"nodes"}},
		{"requests a node", s.Requests, 1, MaxRequests, []string{"requests"}},
		{"runs of the job on a node", s.Jobs, 0, MaxRequests, []string{"jobs"}},
		{"kinds of other nodes", len(s.Others), 0, MaxOthers, nil},
		{"nodes in all", s.population().Nodes() - s.Updates, 1, MaxNodes, []string{"nodes", "other-nodes"}},
		{"updates", s.Updates, 0, MaxUpdates, []string{"updates"}},
		{"nodes times requests and jobs", (s.population().Nodes() - s.Updates) * (s.Requests + s.Jobs), 1, maxRoots, []string{"requests", "nodes"}},
		{"replicas of a store", s.Replicas, 1, model.MaxReplicas, []string{"replicas"}},
		{"rebuilds as the bound", s.RebuildBound, 0, 200, []string{"rebuild-bound"}},
	} {
		if n.value < n.least || n.value > n.most {
			return s, about(fmt.Errorf("%d %s: it must be %d to %d", n.value, n.what, n.least, n.most), n.settings...)
		}
	}
	for _, r := range []struct {
		what  string
		value protocol.Range
	}{{"latency", s.Latency}, {"reply", s.Reply}} {
		if err := r.value.Validate(); err != nil {
			return s, about(fmt.Errorf("%s: %w", r.what, err), r.what)
		}
	}
	if s.ArriveWithin != nil && *s.ArriveWithin < 0 {
		return s, about(fmt.Errorf("requests that arrive within %s: it must be 0 or longer", model.FormatDuration(*s.ArriveWithin)), "arrive-within")
	}
	if s.ArriveWithin != nil && s.Endless {
		return s, about(errors.New("requests that arrive within a time and are endless: the ones that follow others arrive at any time; leave one of the two out"), "arrive-within", "endless")
	}
	if s.ValueTTL < 0 {
		return s, about(fmt.Errorf("a TTL of %s for cached values: it must be positive, or 0 for none", s.ValueTTL), "value-ttl")
	}
	if s.Timeout < 0 {
		return s, about(fmt.Errorf("a timeout of %s: it must be 0 or longer", model.FormatDuration(s.Timeout)), "timeout")
	}
	if s.Jobs > 0 && !s.hasJob() {
		return s, about(fmt.Errorf("%d runs of the job on a node: the protocol %s has no job; give it a method\n\tfunc (p %s) Job(c *protocol.Client)", s.Jobs, s.Name, typeName(s.Protocol)), "jobs")
	}
	if _, ok := s.Protocol.(protocol.Updater); s.Invalidate && !ok {
		return s, about(fmt.Errorf("updates cannot invalidate: the protocol %s does not say how; give it a method\n\tfunc (p %s) Update(c *protocol.Client) { protocol.UpdateSource(c, \"your key\") }", s.Name, typeName(s.Protocol)), "invalidate")
	}
	if c, ok := s.Protocol.(protocol.Claimer); ok && s.RebuildBound == 0 {
		s.RebuildBound = c.ClaimedRebuilds(s.Nodes, s.Requests)
		if s.RebuildBound < 1 || s.RebuildBound > 254 {
			return s, wrong("the protocol %s claims %d rebuilds: it must be 1 to 254", s.Name, s.RebuildBound)
		}
	}
	seen := map[string]bool{}
	for _, f := range s.Faults {
		if seen[f.Name()] {
			return s, about(fmt.Errorf("the fault %s is given twice; one budget covers all of its kind", f.Name()), f.Name())
		}
		seen[f.Name()] = true
	}
	if len(s.Faults) > model.MaxFaults {
		return s, wrong("%d kinds of faults: at most %d can be combined", len(s.Faults), model.MaxFaults)
	}
	return s, nil
}

// complete fills in the defaults of the parameters.
func (s *Scenario) complete() error {
	complete := protocol.WithDefaults
	if s.KeepZeros {
		complete = protocol.Copy
	}
	fill := func(p *protocol.Protocol) error {
		if reflect.Indirect(reflect.ValueOf(*p)).Kind() != reflect.Struct {
			return nil
		}
		filled, err := complete(*p)
		if err != nil {
			return about(err)
		}
		*p = filled.(protocol.Protocol)
		return nil
	}
	if err := fill(&s.Protocol); err != nil {
		return err
	}
	s.Others = slices.Clone(s.Others)
	for i := range s.Others {
		o := &s.Others[i]
		if o.Protocol == nil || o.Nodes < 1 {
			return about(fmt.Errorf("%d other nodes without a protocol, or none: an Other has a protocol and 1 node or more", o.Nodes), "other-nodes")
		}
		if err := fill(&o.Protocol); err != nil {
			return err
		}
	}
	s.KeepZeros = true
	return nil
}

func typeName(p protocol.Protocol) string {
	t := reflect.TypeOf(p)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Name()
}

// Bounds returns what a verdict on the scenario is limited to.
func (s Scenario) Bounds() model.Bounds {
	b := model.Bounds{
		Nodes: s.Nodes, Requests: s.Requests, Endless: s.Endless, Updates: s.Updates, Invalidate: s.Invalidate, ArriveWithin: s.ArriveWithin,
		Latency: s.Latency, Reply: s.Reply, ValueTTL: s.ValueTTL, Timeout: s.timeout(), RebuildBound: s.RebuildBound,
		Faults: []model.FaultBudget{},
	}
	if s.watches {
		b.WatchedWithin = s.within
	} else {
		b.AnsweredWithin = s.within
	}
	if s.Replicas > 1 {
		b.Replicas = s.Replicas
	}
	b.Jobs = s.Jobs
	for _, o := range s.Others {
		b.Others = append(b.Others, model.OtherNodes{Nodes: o.Nodes, Protocol: typeName(o.Protocol), Parameters: append([]model.ParameterValue{}, protocol.ParameterValues(o.Protocol)...)})
	}
	for _, f := range s.Faults {
		if f.Budget() > 0 {
			b.Faults = append(b.Faults, model.FaultBudget{Name: f.Name(), Budget: f.Budget(), Value: f.Value()})
		}
	}
	return b
}

// Parameters returns the parameters of the protocol with their values, in the order
// in which they are declared.
func (s Scenario) Parameters() []model.ParameterValue {
	return append([]model.ParameterValue{}, protocol.ParameterValues(s.Protocol)...)
}

// LongestDuration returns the longest duration that the scenario knows: of its
// protocol's parameters, its faults and itself. Those that the protocol makes up
// are not among them.
func (s Scenario) LongestDuration() time.Duration { return slices.Max(s.durations()) }

// Options steer a search without changing what it finds.
type Options struct {
	// MaxStates, MaxTime and MaxMemory (bytes) cut the search off; 0 for no
	// limit of one's own. There is always one of 2^31 states.
	MaxStates int
	MaxTime   time.Duration
	MaxMemory int64
	// Patience is how long protocol code may run without an operation before it
	// is reported as endless; 10 s if it is 0.
	Patience time.Duration
	// Progress, if set, is called now and then on the searching goroutine.
	Progress func(Progress)

	// Workers is how many goroutines search, as many as there are processors if
	// it is 0. The result does not depend on it.
	Workers int

	// The following switch reductions off, to test that they change nothing.
	NoSymmetry       bool
	NoSubsumption    bool
	PauseAnyTime     bool
	SeparateArrivals bool
	SeparateWaits    bool

	// visit, if set, is called for each state that is stored: for tests.
	visit func(s *model.State, l *learner)
	// together, if set, is how many states are worth expanding together.
	together int
}

// Progress is how far a search has got.
type Progress struct {
	States, Transitions int64
	Queue               int
	Depth               int
	Memory              int64
	Elapsed             time.Duration
	// Violated are the properties for which a violation is known.
	Violated []string
}

var errStop = errors.New("scheduler: stop")
