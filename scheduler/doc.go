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
// # Requests without end
//
// Where a scenario is endless another request comes after each one that has returned, or is lost
// with its node. Nothing in a state counts them, so there are finitely many states, and what
// holds, holds for any number of requests.
//
// # Logs
//
// [Explain] searches for a run that agrees with a log of what took effect in the stores. How far a
// run has come in the log is part of its state, and one more clock, which runs from the
// beginning, bounds when the next event happens (log.go). Fewer faults come first: each number of
// them is a search of its own. When a fault can have been is asked of the differences between
// the instants of the run that is found (differences.go, infer.go), and then of further searches in
// which it lies beyond that, until there is none.
//
// # Many workers
//
// What a state leads to depends on nothing but the state, so workers find that out
// for many states at once, and the result is stored in order (parallel.go). They
// never learn: where the automaton is not known yet, which is rare, a state is
// expanded in its turn. So the result is the same, to the byte, for every number of
// workers.
//
// # Simulation
//
// [Simulate] runs many requests on many nodes in concrete time, a run for each seed:
//
//	report, err := scheduler.Simulate(ctx, scheduler.NewSimulation(p), scheduler.SimulateOptions{})
//
// What steps do is said by the same rules: [model.Rules] move, [model.Operation.Effect] is
// what stores do, the automaton is the one that a check learns, and faults apply themselves.
// Only who moves next is decided here, by drawing when each step comes. A [model.State]
// holds some dozens of processes; a simulation has hundreds of thousands. So a process is
// kept outside of it, as a number: that of its shape, which is everything that the rules
// know of a process but the names of its tokens and flights (simulated_shape.go), and these
// names. Few shapes are ever met. For one step those are put into a state whom it may
// concern (simulated_swap.go, gather in simulated_step.go): the family of the process, the
// families that own a token in an entry, the leader of a flight that is joined, one process
// of each shape that waits for a flight that is resolved. The rules apply the move, and all
// are taken out again.
//
// Most steps concern nobody else: a Get, a SetNX that is refused, the end of a Sleep. What
// such a step does depends on the shape and on the entry alone, so it is noted and taken
// again without the rules until the entry is another (simulated_quiet.go). A process that polls goes in
// a circle of such steps. It leaves the queue, and catches up when the world changes: a
// step costs some nanoseconds then, and 100,000 requests that poll for 25 s less than two
// seconds.
//
// Each process has a source of randomness of its own, seeded by the run and its number, so
// the order in which quiet steps are computed decides nothing; steps at the same time are
// taken in the order of the processes. Nothing depends on the number of workers, on the
// order of a map, or on how a machine computes logarithms (package distribution).
//
// Faults apply themselves, too, to a state of those whom they may concern; only when they
// strike is drawn here, and for how long (simulated_kinds.go). Who stands still meanwhile, a
// node, a process, whoever asks a store, is held back here, and nothing is said of it in the
// state: what they would do at the end of it they do then. Only what is refused, or served by a
// replica, is in the state of such a step. A fault that strikes operations has a share of
// them, drawn from the randomness of the process before each.
//
// Code that waits for a message, a list or a replica, contexts and operations that are given
// up, sessions, transactions, times that are written down, nodes that do something when they
// start: a step of those may concern anybody. The simulation then begins again and is whole
// (simulated_whole.go): everybody who has arrived is in the state of each step, no step is
// quiet, and it ends where there are more than a state holds.
//
// A clock that drifts is wrong by as much all the time (simulated_drift.go): a second of it is a
// multiple of what lets it show all durations after whole nanoseconds.
//
// [Followed] says which properties a simulation follows, and why not the others. A counter ends
// at [model.MaxVersion], as in a check.
//
// Tests hold it against [Replay]: each step of thousands of small runs, with each fault and
// several together, is taken again by the concrete replay ([SimulatedTrace]), which knows
// nothing of shapes. And no run shows a violation that [Check] excludes.
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
// The package imports model, protocol and its own package distribution. It must never import faults or checks: it
// knows them as model.Fault, model.Monitor and model.DeadEnd.
package scheduler
