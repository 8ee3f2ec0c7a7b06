package checks

import "lockstep/model"

// renewals yields the changes of a step by which a process has made the TTL of a lock
// begin anew.
func renewals(s *model.State, e *model.Event, yield func(p *model.Process, c *model.Change)) {
	if e.Process < 0 || e.Operation == nil {
		return
	}
	p := &s.Processes[e.Process]
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Before.Value.Kind == model.KindToken && c.After.Value == c.Before.Value && c.After.Clock == model.Fresh {
			yield(p, c)
		}
	}
}
