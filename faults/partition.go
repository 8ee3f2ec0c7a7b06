package faults

import (
	"time"

	"lockstep/model"
)

// Partition returns the fault by which a node cannot reach a store for any duration from
// 0 to max, at most times times in a run: what it asks of it waits, as in a black hole
// without a timeout, and takes effect when the store can be reached again. Other nodes,
// and the other store, are not concerned.
//
// In the world it stands for a network that drops packets between two hosts.
func Partition(times int, max time.Duration) model.Fault {
	return outage{lasting: lasting{counted: counted{"partition", times, model.OnStore}, longest: max}}
}
