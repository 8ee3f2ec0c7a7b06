// Package faults holds the failures that a scenario can inject, one file each. A
// fault is a choice with a budget: it is tried at every point where it could
// matter, and nowhere else.
//
//	faults.Pause(1, 12*time.Second) // one stop-the-world pause of up to 12 s
//
// [Kinds] lists them. What strikes an operation in the place of its effect is a
// model.Interceptor: the rules offer it where the effect could be, and model/failure.go
// says what it may do.
//
// The package imports model and must never import scheduler, protocol or checks:
// the search knows faults only as model.Fault.
package faults

// MaxBudget is how many faults of a kind a run may contain, at most.
const MaxBudget = 8
