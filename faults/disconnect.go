package faults

import (
	"time"

	"lockstep/model"
)

// Disconnect returns the fault by which a node cannot connect to a store for any duration
// from 0 to max, at most times times in a run: what it asks of it has no effect and
// fails, within the latency, and so does what was under way. A message that is published
// meanwhile is lost for the node.
//
// In the world it stands for a firewall that rejects, a limit on connections, a DNS entry
// that is gone.
func Disconnect(times int, max time.Duration) model.Fault {
	return outage{lasting: lasting{counted: counted{"disconnect", times, model.OnStore}, longest: max}, refuses: true}
}
