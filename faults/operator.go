package faults

import "lockstep/model"

// OperatorDelete returns the fault by which an operator deletes a key, at most times
// times in a run. What it does is what an eviction does; it is a fault of its own so
// that both may be allowed, and told apart in a trace.
//
// In the world it stands for a hand on the console: DEL of a lock that looks stuck, of
// a cached value that looks wrong.
func OperatorDelete(times int) model.Fault {
	return removal{counted{"operator-delete", times, model.OnKey}, "is deleted by an operator"}
}
