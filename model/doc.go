// Package model is the world in which protocols run: its state and the rules by
// which it changes.
//
// A [State] is discrete: what the stores contain, how far each process is, what
// is left of the budgets. Time is not in it. It only names clocks, and whoever
// uses it measures them: the exhaustive search as a zone, the replay as numbers.
// [Rules] say which [Move] is possible under which guards on clocks, and what it
// does:
//
//	rules.Start(&s, population)
//	for {
//		moves.Reset(clocks)
//		rules.Moves(&s, &moves)                // what can happen next
//		move := &moves.List[pick]              // the caller's business
//		rules.Apply(&s, move, &event)          // what it does
//		source = rules.Canonical(&s, ...)      // clocks are numbered anew
//		passes := rules.Invariants(&s, upper)  // how long nothing need happen
//	}
//
// A move between two canonical states may start, keep and forget clocks.
// [Rules.Canonical] returns for each clock where it comes from; zone.Matrix.Gather,
// or a copy of numbers, then does the rest.
//
// What a store operation does is [Operation.Effect] and nothing else. What a
// process does is the business of an [Automaton], faults and properties come
// from outside as [Fault], [Monitor] and [DeadEnd].
//
// # Decisions
//
// An arrival is no step: it weighs nothing, so that merging it with the first
// operation changes no cost. The start of a deadline is an operation, not a mark:
// a pause between an acquisition and the start of the deadline that guards it is
// one of the ways in which protocols break. A process that became due while its
// node was halted is flagged overdue and needs no clock any more. Updates run on
// nodes of their own, so that a crash or a pause can come between an update and
// its invalidation; they are subject to the same faults. A token belongs to the
// family of processes (a request and what it spawned) that created it.
//
// What waits at a store or at the source is parked there, in the state of its process, and
// served in the step that brings what it waits for: see park. A request that its process
// has given up is a process of phase [Sent]. Where the design has a step of a clock change
// "the remaining bound of each timer", TTLs of a store are such bounds; the wall clocks of
// nodes are compared with times that were written down, and nothing else depends on
// them, as in Go, whose timers and deadlines are monotonic. A frozen store clock stands
// still until the store fails over: clocks that stop for a while cannot be held as a
// zone.
//
// The package imports model/zone and the standard library. It must never import
// another package of this module.
package model
