package explain

import (
	"fmt"
	"slices"
	"time"

	"lockstep/checks/incident"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// seen is a duration that a log shows, and where.
type seen struct {
	length time.Duration
	place  string
}

// findParameters reads from the log what is not given: the TTL of the lock, the interval of
// renewals, the wait of a loser, how long rebuilds took, the TTL of cached values, and how often
// the source changed.
func (b *Reading) findParameters() error {
	p, err := protocol.WithDefaults(b.Scenario.Protocol)
	if err != nil {
		return err
	}
	b.Scenario.Protocol, b.Scenario.KeepZeros = p.(protocol.Protocol), true
	known, err := protocol.Parameters(b.Scenario.Protocol)
	if err != nil {
		return err
	}
	b.Scenario.Nodes, b.Scenario.Endless, b.Scenario.ArriveWithin = max(1, len(b.Nodes)), true, nil
	if !b.settings.Given["requests"] {
		b.Scenario.Requests = b.atOnce()
	}
	length := b.End.Sub(b.Begin) + 2*b.settings.Tolerance
	w := b.watch()
	for _, q := range known {
		if b.settings.Given[q.Name] {
			continue
		}
		var value, why string
		switch {
		case q.Name == "ttl" && len(w.ttls) > 0:
			value, why = model.FormatDuration(w.ttls[0].length), "the lock is set with it in "+w.ttls[0].place
		case q.Name == "heartbeat" && len(w.renewals) > 0:
			d := typical(w.renewals)
			value, why = model.FormatDuration(d), fmt.Sprintf("the time between two renewals, as in %s", w.renewals[0].place)
		case q.Name == "wait" && len(w.waits) > 0 && q.Kind == "duration":
			value, why = model.FormatDuration(typical(w.waits)), "the time until a loser looks again, as in "+w.waits[0].place
		case q.Name == "wait" && len(w.waits) > 0:
			least, most := extremes(w.waits)
			r := model.Range{Min: least.Truncate(10 * time.Millisecond), Max: (most + 9999*time.Microsecond).Truncate(10 * time.Millisecond)}
			value, why = r.String(), fmt.Sprintf("the times until a loser looks again, %d of them, as in %s", len(w.waits), w.waits[0].place)
		case q.Name == "rebuild":
			value, why = model.Range{Max: roundUp(length)}.String(), "as long as the log: how long a rebuild takes is not known"
		default:
			continue
		}
		if err := protocol.SetParameter(b.Scenario.Protocol, q.Name, value); err != nil {
			return fmt.Errorf("%s, as the log has it (%s): %w", q.Name, why, err)
		}
		b.Parameters = append(b.Parameters, Parameter{q.Name, value, why})
	}
	if !b.settings.Given["value-ttl"] && len(w.valueTTLs) > 0 {
		b.Scenario.ValueTTL = w.valueTTLs[0].length
		b.Parameters = append(b.Parameters, Parameter{"value-ttl", model.FormatDuration(b.Scenario.ValueTTL), "the value is set with it in " + w.valueTTLs[0].place})
	}
	if !b.settings.Given["updates"] && b.Source != "" {
		b.Scenario.Updates = w.changes
		b.Parameters = append(b.Parameters, Parameter{"updates", fmt.Sprint(w.changes), "so often " + b.Source + " is changed"})
	}
	if len(b.Scenario.Faults) == 0 {
		n := max(1, b.settings.MaxFaults)
		b.Scenario.Faults = []model.Fault{faults.Pause(n, roundUp(length)), faults.Crash(n)}
	}
	return nil
}

// maxRoots is how many requests there can be at once on all nodes together.
const maxRoots = 32

// mostAtOnce is how many there can be at once on a node.
func (b *Reading) mostAtOnce() int {
	return min(scheduler.MaxRequests, maxRoots/max(1, len(b.Nodes)))
}

// atOnce is how many requests there are at once on a node as far as the log shows: as many of its
// clients as are in use at a time, since a client serves one at a time. There may have been more,
// which had no more to do with the store.
func (b *Reading) atOnce() int {
	first, last := map[string]int{}, map[string]int{}
	for i, a := range b.actions {
		if _, known := first[a.client]; !known {
			first[a.client] = i
		}
		last[a.client] = i
	}
	most := 1
	for _, n := range b.Nodes {
		for _, c := range n.Clients {
			together := 0
			for _, other := range n.Clients {
				if first[other] <= first[c] && first[c] <= last[other] {
					together++
				}
			}
			most = max(most, min(together, b.mostAtOnce()))
		}
	}
	return most
}

// watched is what a log shows of the parameters of a protocol.
type watched struct {
	ttls, renewals, waits, valueTTLs []seen
	changes                          int
}

func (b *Reading) watch() *watched {
	w := &watched{}
	// By node: the lock may be renewed by another client than the one that took it, and each
	// command may be one of another.
	renewed, asked, held := map[int]*action{}, map[int]*action{}, map[int]bool{}
	for _, a := range b.actions {
		node := b.node(a)
		for i := range a.effects {
			e := &a.effects[i]
			switch {
			case e.Key == b.Source && (e.Kind == incident.Sets || e.Kind == incident.Counts):
				w.changes++
			case e.Key == b.Value && e.Kind == incident.Sets && e.TTL > 0:
				w.valueTTLs = append(w.valueTTLs, seen{e.TTL, a.place()})
			case e.Key != b.Lock:
			case e.Kind == incident.Sets:
				if e.TTL > 0 {
					w.ttls = append(w.ttls, seen{e.TTL, a.place()})
				}
				asked[node] = a
			case e.Kind == incident.Expires:
				if before := renewed[node]; before != nil {
					w.renewals = append(w.renewals, seen{a.at.Sub(before.at), a.place()})
				}
				renewed[node], held[node] = a, true
			case e.Kind == incident.Deletes:
				held[node], renewed[node] = true, nil
			}
		}
		if e := a.sole(); e != nil && e.Key == b.Value && e.Kind == incident.Reads {
			if before := asked[node]; before != nil && !held[node] {
				w.waits = append(w.waits, seen{a.at.Sub(before.at), a.place()})
			}
			asked[node], held[node] = nil, false
		}
	}
	return w
}

// typical is the roundest duration near the median of some.
func typical(all []seen) time.Duration {
	lengths := make([]time.Duration, len(all))
	for i, s := range all {
		lengths[i] = s.length
	}
	slices.Sort(lengths)
	median := lengths[(len(lengths)-1)/2]
	slack := max(median/50, min(2*time.Millisecond, median/20))
	for _, unit := range roundUnits {
		near := (median + unit/2) / unit * unit
		if d := near - median; near > 0 && d <= slack && d >= -slack {
			return near
		}
	}
	return max(median.Round(time.Millisecond), time.Millisecond)
}

var roundUnits = []time.Duration{
	time.Hour, 30 * time.Minute, 10 * time.Minute, 5 * time.Minute, time.Minute, 30 * time.Second, 10 * time.Second, 5 * time.Second, time.Second,
	500 * time.Millisecond, 200 * time.Millisecond, 100 * time.Millisecond, 50 * time.Millisecond, 20 * time.Millisecond,
	10 * time.Millisecond, 5 * time.Millisecond, 2 * time.Millisecond,
}

func extremes(all []seen) (least, most time.Duration) {
	least, most = all[0].length, all[0].length
	for _, s := range all {
		least, most = min(least, s.length), max(most, s.length)
	}
	return least, most
}

// roundUp is the next duration of two digits.
func roundUp(d time.Duration) time.Duration {
	unit := time.Millisecond
	for d/99 > unit {
		unit *= 10
	}
	return (d + unit - 1) / unit * unit
}
