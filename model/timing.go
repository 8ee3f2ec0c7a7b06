package model

import "lockstep/model/zone"

// Invariants writes for each clock of s, which is in canonical form, the upper
// bound that it may not exceed as time passes, zone.Infinity if there is none;
// upper has an entry more than there are clocks. It reports whether time may
// pass at all.
func (r *Rules) Invariants(s *State, upper []zone.Bound) (passes bool) {
	for i := range upper {
		upper[i] = zone.Infinity
	}
	for k := range s.present() {
		if e := &s.Entries[k]; e.Clock != NoClock && (e.Session != 0 || r.Runs(s, KeyID(k))) {
			upper[e.Clock] = zone.Bound(e.TTL)
		}
	}
	passes = true
	for n := range s.Nodes {
		node := &s.Nodes[n]
		passes = passes && node.Status != Doomed
		if node.Clock != NoClock {
			upper[node.Clock] = zone.Bound(node.Limit)
		}
	}
	if s.Replica.Lags {
		upper[s.Replica.Clock] = zone.Bound(s.Replica.Limit)
	}
	if s.Outage.On {
		upper[s.Outage.Clock] = zone.Bound(s.Outage.Limit)
	}
	if s.Starving.On {
		upper[s.Starving.Clock] = zone.Bound(s.Starving.Limit)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		if p.Phase == Waiting {
			// Whatever its node does.
			if bound := r.latest(s, p); bound == 0 {
				passes = false
			} else if p.Clock != NoClock {
				upper[p.Clock] = zone.Bound(bound)
			}
			continue
		}
		urgent, bound := r.Urgent(s, p)
		passes = passes && !urgent
		if p.Clock != NoClock && !urgent && bound < Forever {
			upper[p.Clock] = zone.Bound(bound)
		}
	}
	return passes
}

// Outlook is what faults that are left may still do to the clocks of a state: what its
// constants depend on, besides its discrete part.
type Outlook struct {
	// Halts: a node may halt.
	Halts bool
	// Longer is by how much the TTL of an entry may become longer, all in all.
	Longer Ticks
}

// Outlook returns that of s.
func (r *Rules) Outlook(s *State) Outlook {
	o := Outlook{Longer: r.stretch(s)}
	for i, f := range r.Faults {
		o.Halts = o.Halts || s.Left[i] > 0 && f.Halts()
	}
	return o
}

// Constants writes for each clock of s, which is in canonical form and has the outlook, the
// largest constants with which it may be compared from below (clock >= c) and from above
// (clock <= c) as long as it runs; see zone.Covers.
//
// A key's TTL is compared with nothing above itself, unless a step of the store's clock
// may still make it longer: the clock never exceeds it, so PTTL may ask for any time
// that is left. The timer of a process whose node
// may be halted is compared from below with its upper bound, too: a recovery asks
// whether it is overdue.
func (r *Rules) Constants(s *State, o Outlook, lower, upper []zone.Bound) {
	lower[0], upper[0] = 0, 0
	halts, longer := o.Halts || s.Outage.On && !s.Outage.Refuses, o.Longer
	for k := range s.present() {
		if e := &s.Entries[k]; e.Clock != NoClock {
			lower[e.Clock], upper[e.Clock] = zone.Bound(e.TTL+longer), zone.Bound(e.TTL+longer)
		}
		if t := &s.Entries[k].Stamp; t.Clock != NoClock {
			r.stampConstants(t, lower, upper)
		}
		if watch := s.Watches[k]; watch != NoClock {
			lower[watch], upper[watch] = zone.Bound(r.Patience), zone.Bound(r.Patience)
		}
	}
	for n := range s.Nodes {
		if node := &s.Nodes[n]; node.Clock != NoClock {
			lower[node.Clock], upper[node.Clock] = 0, zone.Bound(node.Limit)
			if node.Status == Down {
				// How long it stays down has a least time, too, which is no longer.
				lower[node.Clock] = zone.Bound(node.Limit)
			}
		}
	}
	if s.Outage.On {
		lower[s.Outage.Clock], upper[s.Outage.Clock] = zone.Unbounded, zone.Bound(s.Outage.Limit)
	}
	if s.Starving.On {
		lower[s.Starving.Clock], upper[s.Starving.Clock] = zone.Unbounded, zone.Bound(s.Starving.Limit)
	}
	if s.Replica.Lags {
		lower[s.Replica.Clock], upper[s.Replica.Clock] = zone.Unbounded, zone.Bound(s.Replica.Limit)
		for k := range s.Replica.Entries {
			if e := &s.Replica.Entries[k]; e.Clock != NoClock {
				lower[e.Clock], upper[e.Clock] = zone.Bound(e.TTL+longer), zone.Bound(e.TTL+longer)
			}
			if t := &s.Replica.Entries[k].Stamp; t.Clock != NoClock {
				r.stampConstants(t, lower, upper)
			}
		}
	}
	if r.Watching {
		r.sinceConstants(s, lower, upper)
	}
	for i := range s.Processes {
		p := &s.Processes[i]
		switch {
		case p.Clock == NoClock:
		case p.Phase == Waiting:
			lower[p.Clock], upper[p.Clock] = zone.Unbounded, zone.Bound(r.latest(s, p))
		default:
			lower[p.Clock], upper[p.Clock] = r.timerConstants(p, halts || p.Starved || s.Nodes[p.Node].Status == Halted)
		}
		if p.Watch != NoClock {
			lower[p.Watch], upper[p.Watch] = zone.Bound(r.Patience), zone.Bound(r.Patience)
		}
		for _, reg := range p.Held() {
			if reg.Kind == KindStamp {
				t := reg.stamp()
				r.stampConstants(&t, lower, upper)
			} else if reg.Clock != NoClock {
				lower[reg.Clock], upper[reg.Clock] = zone.Bound(reg.Limit), zone.Bound(reg.Limit)
			}
		}
	}
}

// stampConstants are those of a time: it may be compared by a wall clock that is wrong.
func (r *Rules) stampConstants(t *Stamp, lower, upper []zone.Bound) {
	most := zone.Bound(t.Limit + r.skew())
	lower[t.Clock], upper[t.Clock] = most, most
}

// latest returns how long after the beginning a process arrives that has not yet,
// Forever if nothing bounds it.
func (r *Rules) latest(s *State, p *Process) Ticks {
	if r.Window == nil || p.Role != Request && p.Role != Boot || r.held(s, p) {
		return Forever
	}
	return *r.Window
}

func (r *Rules) timerConstants(p *Process, halts bool) (lower, upper zone.Bound) {
	op := r.Automaton.Operation(p.Local)
	least, most := r.span(p, op)
	if p.Phase == Acting && op.Patience > 0 && !p.parked() {
		// It may go on without its process.
		most = max(op.Max, op.Patience)
		return zone.Bound(most), zone.Bound(most)
	}
	if most == Forever {
		return zone.Bound(least), zone.Unbounded
	}
	switch {
	case halts:
		least = most
	case least == 0:
		// It may act at any time: nothing compares from below.
		return zone.Unbounded, zone.Bound(most)
	}
	return zone.Bound(least), zone.Bound(most)
}
