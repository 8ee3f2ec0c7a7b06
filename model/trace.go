package model

import (
	"encoding/json"
	"io"
	"time"
)

// TraceFormat and TraceVersion stand at the head of every trace.
const (
	TraceFormat  = "lockstep-trace"
	TraceVersion = 1
)

// Trace is a run as a list of steps with concrete times, and everything that is
// needed to run it again. A counterexample is a trace whose last step violates
// the property.
type Trace struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Protocol is the name of the protocol, or its Go type.
	Protocol   string           `json:"protocol"`
	Parameters []ParameterValue `json:"parameters"`
	Bounds     Bounds           `json:"bounds"`
	// Property is the one that the run violates, Argument what stands after its name on the
	// command line, Rule what it says, and Explanation why the last step breaks it.
	Property    string `json:"property"`
	Argument    string `json:"argument,omitempty"`
	Rule        string `json:"rule"`
	Explanation string `json:"explanation"`
	// Faults and Weight are the cost of the run: the faults in it and its steps,
	// arrivals not counted.
	Faults int         `json:"faults"`
	Weight int         `json:"weight"`
	Steps  []TraceStep `json:"steps"`
	// History are the operations on the object of which the property says something, in the
	// order of their calls.
	History []HistoryOperation `json:"history,omitempty"`
}

// ParameterValue is the value of a parameter of the protocol, as text that the command
// line accepts.
type ParameterValue struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// TraceStep is one step of a run.
type TraceStep struct {
	// Time is the time since the beginning, in nanoseconds.
	Time time.Duration `json:"time_ns"`
	// Kind is arrive, effect, reply, expire, fault, recovery, late or timeout.
	Kind string `json:"kind"`
	// Node is n0, n1 ... for a service node, u0, u1 ... for that of an update;
	// empty for an expiry.
	Node string `json:"node,omitempty"`
	// Process is the node and the number of the request on it, and for a spawned
	// process a dot and its number: n0/0, n0/0.1. A timeout has none; its first argument
	// names the context.
	Process string `json:"process,omitempty"`
	// Fault is the name of the fault that begins or ends. Overdue are the
	// processes that are due when it ends, and so act at that instant.
	Fault   string   `json:"fault,omitempty"`
	Overdue []string `json:"overdue,omitempty"`
	// Second is how long a second of the clock takes, in nanoseconds, that drifts from this
	// step on.
	Second time.Duration `json:"second_ns,omitempty"`
	// Watched: the wait of the request that arrives is watched.
	Watched bool `json:"watched,omitempty"`
	// Operation is what takes effect, or fails, with its arguments as text; Key is the
	// store and the key that it is about. A fault that strikes a key has that, one that
	// strikes a store has its name as the argument.
	Operation string   `json:"operation,omitempty"`
	Key       string   `json:"key,omitempty"`
	Arguments []string `json:"arguments,omitempty"`
	// Observation is what the process observes.
	Observation string  `json:"observation,omitempty"`
	Source      *Source `json:"source,omitempty"`
	// Changes tell what became of entries, where they changed.
	Changes []TraceChange `json:"changes,omitempty"`
	// Marks are what the process does next, before its next operation.
	Marks []TraceMark `json:"marks,omitempty"`
	// Text says in words what the step does.
	Text string `json:"text"`
}

// EndsNode reports whether the processes of the step's node are gone after it.
func (s *TraceStep) EndsNode() bool {
	return s.Kind == "fault" && (s.Fault == "crash" || s.Fault == "restart") || s.Kind == "recovery" && s.Fault == "panic"
}

// HaltsNode reports whether the step's node stands still after it.
func (s *TraceStep) HaltsNode() bool {
	return s.Kind == "fault" && s.Fault == "pause"
}

// By returns the process whose mark m is.
func (s *TraceStep) By(m *TraceMark) string {
	if m.Process != "" {
		return m.Process
	}
	return s.Process
}

// TraceChange is what a step did to an entry. A value is v and the version of the
// source that it was computed from, and of and the key if it was read for one, a token #
// and its number, an absent entry is empty.
type TraceChange struct {
	// Key is the store and the key.
	Key       string        `json:"key"`
	Before    string        `json:"before"`
	After     string        `json:"after"`
	BeforeTTL time.Duration `json:"before_ttl_ns,omitempty"`
	AfterTTL  time.Duration `json:"after_ttl_ns,omitempty"`
	// Since is the time of the step that set Before, or that renewed its TTL.
	Since time.Duration `json:"since_ns,omitempty"`
	// Owner is the process that created the token Before.
	Owner string `json:"owner,omitempty"`
}

// TraceMark is a mark in a trace.
type TraceMark struct {
	// Kind is token, acquired, releasing, spawn, checkpoint, restart, context or return.
	Kind string `json:"kind"`
	// Process is the one whose mark it is, if that is not the process of the
	// step but one that it spawned in it.
	Process string `json:"process,omitempty"`
	// Subject is the key or the answer that it is about.
	Subject string  `json:"subject,omitempty"`
	Source  *Source `json:"source,omitempty"`
}

// Bounds are the limits within which a verdict is exact.
type Bounds struct {
	Nodes    int `json:"nodes"`
	Requests int `json:"requests"`
	// Endless: another request comes after each one that has returned, so Requests is how many
	// there can be at once on a node.
	Endless    bool `json:"endless,omitempty"`
	Updates    int  `json:"updates"`
	Invalidate bool `json:"invalidate"`
	// ArriveWithin is how long after the beginning a request arrives at the latest;
	// nil for at any time, or never.
	ArriveWithin *time.Duration `json:"arrive_within_ns,omitempty"`

	Latency  Range         `json:"latency"`
	Reply    Range         `json:"reply"`
	ValueTTL time.Duration `json:"value_ttl_ns"`
	// Timeout is how long a process waits at most for a reply that never comes; nil if
	// no fault makes it wait.
	Timeout *time.Duration `json:"timeout_ns,omitempty"`
	// Jobs is the number of runs of the job on each node, if there is one.
	Jobs int `json:"jobs,omitempty"`
	// Others are the nodes that run another protocol, or this with other parameters.
	Others []OtherNodes `json:"others,omitempty"`
	// Replicas is how many replicas each store has, if that is more than one.
	Replicas int `json:"replicas,omitempty"`
	// Faults are the budgets, those of zero left out.
	Faults []FaultBudget `json:"faults"`
	// RebuildBound is the number of rebuilds per expiry that is checked, 0 for
	// none.
	RebuildBound int `json:"rebuild_bound"`
	// AnsweredWithin is the wait of which it is a step that a request waits for
	// longer; nil if nobody asked.
	AnsweredWithin *time.Duration `json:"answered_within_ns,omitempty"`
	// WatchedWithin is how long something may be so of a process or an entry that another
	// property watches; nil if none does.
	WatchedWithin *time.Duration `json:"watched_within_ns,omitempty"`
}

// OtherNodes are nodes that run a protocol of their own.
type OtherNodes struct {
	Nodes      int              `json:"nodes"`
	Protocol   string           `json:"protocol"`
	Parameters []ParameterValue `json:"parameters"`
}

// FaultBudget is how many faults of a kind a run may contain, and how they are
// written on the command line.
type FaultBudget struct {
	Name   string `json:"name"`
	Budget int    `json:"budget"`
	Value  string `json:"value"`
}

// Write writes the trace as indented JSON.
func (t *Trace) Write(w io.Writer) error {
	text, err := json.MarshalIndent(t, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}
