package explain

import (
	"slices"
	"strings"
	"time"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/scheduler"
)

// log returns what the search is held against. Times are rounded to milliseconds, since the
// beginning of the run: so long before the first command that its request has arrived then.
func (b *Reading) log() scheduler.Log {
	l := scheduler.Log{Tolerance: b.settings.Tolerance, Sees: b.sees}
	values := map[string]int{}
	for _, a := range b.actions {
		e := scheduler.LogEvent{Time: b.since(a.at), Node: b.node(a), Fits: func(d *scheduler.Deed) bool { return b.fits(a, d) }}
		if s := a.sole(); s != nil && s.Kind == incident.Sets && s.Key == b.Value {
			if values[s.Value] == 0 {
				values[s.Value] = len(values) + 1
			}
			e.Value = values[s.Value]
		}
		l.Events = append(l.Events, e)
	}
	l.Distinct = numbered(values)
	l.End = max(b.since(b.End), l.Events[len(l.Events)-1].Time)
	return l
}

// numbered reports whether values are numbers of versions, with something before them or not, as v1
// and v2: then different ones are of different versions. Of others, which may have a time in them,
// nobody knows.
func numbered(values map[string]int) bool {
	const digits = "0123456789"
	prefix, first := "", true
	for value := range values {
		before := strings.TrimRight(value, digits)
		if len(before) == len(value) || !first && before != prefix {
			return false
		}
		prefix, first = before, false
	}
	return true
}

// lead is how long before the first command the run begins.
func (b *Reading) lead() time.Duration {
	return b.settings.Tolerance + b.Scenario.Latency.Max
}

// since is a time of the log, since the beginning of the run.
func (b *Reading) since(t time.Time) time.Duration {
	return t.Sub(b.actions[0].at).Round(time.Millisecond) + b.lead()
}

// At is the time of the log at which something is in a run.
func (b *Reading) At(d time.Duration) time.Time { return b.actions[0].at.Add(d - b.lead()) }

// keyOf is the key of the log for one of the protocol, empty if there is none.
func (b *Reading) keyOf(store, key string) string {
	for _, name := range []string{store + "/" + key, key} {
		if to, given := b.settings.Keys[name]; given {
			return to
		}
	}
	for _, name := range b.keyNames() {
		if name == key || name == store+"/"+key {
			return name
		}
	}
	switch {
	case store == "cache":
		return b.Value
	case strings.Contains(key, "lock"):
		return b.Lock
	}
	return ""
}

// sees reports whether a deed would stand in the log.
func (b *Reading) sees(d *scheduler.Deed) bool {
	op := d.Operation
	switch {
	case op.Kind == model.SourceRead || op.Kind == model.SourceUpdate || op.Kind == model.SourceWrite:
		return b.Source != ""
	case op.Kind == model.RunScript:
		return slices.ContainsFunc(d.Changes, func(c model.Change) bool {
			return (b.plainReads || changed(&c)) && b.keyOf(d.StoreOf(c.Key)) != ""
		})
	case op.Kind.OnEntry() && !op.Local:
		return b.keyOf(d.Store, d.Key) != ""
	}
	return false
}

func changed(c *model.Change) bool { return c.Written || c.Before != c.After }

// fits reports whether a deed is an action of the log.
func (b *Reading) fits(a *action, d *scheduler.Deed) bool {
	op := d.Operation
	switch op.Kind {
	case model.SourceRead:
		e := a.sole()
		return e != nil && e.Kind == incident.Reads && e.Key == b.Source
	case model.SourceUpdate, model.SourceWrite:
		e := a.sole()
		return e != nil && (e.Kind == incident.Sets || e.Kind == incident.Counts) && e.Key == b.Source
	case model.RunScript:
		return b.fitsScript(a, d)
	case model.DeleteIfEqual, model.ExpireIfEqual:
		return b.fitsComparison(a, d)
	}
	e := a.sole()
	if e == nil || e.Key != b.keyOf(d.Store, d.Key) {
		return false
	}
	switch op.Kind {
	case model.Get, model.GetStamped:
		return e.Kind == incident.Reads
	case model.Set:
		return e.Kind == incident.Sets && e.Absent == (op.Mode&model.IfAbsent != 0) && e.Present == (op.Mode&model.IfPresent != 0) &&
			e.KeepTTL == (op.Mode&model.KeepTTL != 0) && e.TTL == d.TTL
	case model.Delete:
		return e.Kind == incident.Deletes
	case model.PExpire:
		return e.Kind == incident.Expires && e.TTL == d.TTL
	case model.PTTL:
		return e.Kind == incident.Asks
	case model.Increment:
		return e.Kind == incident.Counts
	}
	return false
}

// fitsComparison reports whether a script is a comparison, with the same outcome.
func (b *Reading) fitsComparison(a *action, d *scheduler.Deed) bool {
	if !a.script {
		return false
	}
	key := b.keyOf(d.Store, d.Key)
	if !slices.Contains(a.reads, key) {
		return false
	}
	if d.Observation.Code() != model.Done {
		return len(a.effects) == 0
	}
	if len(a.effects) != 1 || a.effects[0].Key != key {
		return false
	}
	e := &a.effects[0]
	if d.Operation.Kind == model.DeleteIfEqual {
		return e.Kind == incident.Deletes
	}
	return e.Kind == incident.Expires && e.TTL == d.TTL
}

// fitsScript reports whether a script changes the same keys as an atomic step.
func (b *Reading) fitsScript(a *action, d *scheduler.Deed) bool {
	if !a.script {
		return false
	}
	// must is what the script has changed for sure, may what it has if a condition held.
	var must, may []string
	for i := range a.effects {
		switch e := &a.effects[i]; {
		case !b.named(e.Key) || e.Kind == incident.Asks:
		case e.Kind == incident.Counts, e.Kind == incident.Sets && !e.Absent && !e.Present:
			must = append(must, e.Key)
		default:
			may = append(may, e.Key)
		}
	}
	var done []string
	for i := range d.Changes {
		key := b.keyOf(d.StoreOf(d.Changes[i].Key))
		if c := &d.Changes[i]; key == "" || !changed(c) {
			continue
		}
		if done = append(done, key); !slices.Contains(must, key) && !slices.Contains(may, key) {
			return false
		}
	}
	return !slices.ContainsFunc(must, func(key string) bool { return !slices.Contains(done, key) })
}

// named reports whether a key of the log is one of those that it is about.
func (b *Reading) named(key string) bool {
	if slices.Contains(b.keyNames(), key) {
		return true
	}
	for _, to := range b.settings.Keys {
		if to == key {
			return true
		}
	}
	return false
}
