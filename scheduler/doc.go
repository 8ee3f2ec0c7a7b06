// Package scheduler decides who moves next.
//
// [Check] explores every run of a [Scenario], breadth-first by steps. Protocol code
// is learned as an automaton (learner.go): a process is deterministic, so what it
// does next is a function of what it has observed, and it is run, alone and as a
// coroutine, only where that is not known yet. A state is bytes, without a
// coroutine in it: local states, stores, source, nodes and what properties
// remember, and a zone of the clocks that are running. A state is stored unless a
// stored one covers it (explore.go). The trace of a violation is found again from
// the beginning (path.go), gets concrete times, and is replayed by [Replay] with
// numbers for clocks and without any reduction: a counterexample that does not
// replay is an error and never a verdict.
//
//	report, err := scheduler.Check(ctx, scheduler.NewScenario(p), properties, scheduler.Options{})
//
// # Order and cost
//
// The cost of a run is its faults and then its steps. The search goes by steps, and
// a stored state covers another only if it has no less budget left of each kind and
// no more steps, under the clock constants of the state that is covered. After the
// first violation of a property the search goes on, for that property, only where
// fewer faults are still possible. So what is reported once the search is exhausted
// is minimal. A state that waits to be expanded is spared if a later one covers it at
// no more cost: larger zones are often found after smaller ones of the same level.
//
// The end of a Sleep is followed at once by what the request does next if that has
// to happen before time passes ([model.Rules.GoesOn]): one edge, the weight of two
// steps, and both are in the trace.
//
// # Determinism
//
// States are numbered in the order in which they are found, and moves of a state
// are tried in an order that depends on the state alone. Local states are ordered
// by what led to them and not by their numbers, so nothing in a result depends on
// when they were learned.
//
// # Clocks that drift
//
// Where the clock of a node or a store may drift ([model.Drift]) a zone cannot tell that
// all timers of one clock run at one rate: each bound is taken as wide as any rate allows
// (drift.go). So what holds, holds; but a violation may need two rates of one clock. It
// counts only if one rate of each is found with which the run is possible (rates.go); the
// trace has it, and the replay measures with it. If violations were found, but no rates
// for any of them, the verdict is inconclusive.
//
// # Many workers
//
// What a state leads to depends on nothing but the state, so workers find that out
// for many states at once, and the result is stored in order (parallel.go). They
// never learn: where the automaton is not known yet, which is rare, a state is
// expanded in its turn. So the result is the same, to the byte, for every number of
// workers.
//
// # Hunting
//
// Hunt takes runs at random where there are too many to explore (hunt.go). They are runs
// of the world of the replay (huntworld.go): no second implementation of anything, but the
// same timing code that replays a find; what is independent of it is the exhaustive search of
// what is left of the scenario once the find is shrunk (huntshrink.go), and it must agree.
// A step is drawn as a move together with the instants at which it is possible before
// something else is due, so that borders can be drawn as such (huntplan.go, huntpct.go). A run depends on
// its seed, its number and how long runs of earlier batches were. Workers
// never learn, as in the search: a run that comes to where the automaton is not known is
// taken again in its turn, so that all is learned in the order of the runs (huntruns.go).
//
// The package imports model and protocol. It must never import faults or checks: it
// knows them as model.Fault, model.Monitor and model.DeadEnd.
package scheduler
