package checks

import "lockstep/model"

// View is what a property of one's own sees: a step, and the world after it. Stores are
// called by their names: "store", "cache", "store1" and so on. Nodes and requests have no
// numbers here, since those that are alike are interchangeable; a [Party] can be compared
// with others of the same view.
type View struct {
	// Memory is what the property remembers from step to step.
	Memory []byte

	state   *model.State
	event   *model.Event
	name    func(model.KeyID) (store, key string)
	outcome model.Outcome
}

// Party is a request with what it has spawned, or an update, a job or a boot. It means
// something within one view only. The zero value is nobody.
type Party struct{ owner int32 }

func partyOf(o model.Owner) Party {
	if o == model.NoOwner {
		return Party{}
	}
	return Party{int32(o) + 1}
}

// Exercise says that the property had something to say.
func (v *View) Exercise() { v.outcome |= model.Exercised }

// Violate says that the step violates the property.
func (v *View) Violate() { v.outcome |= model.Exercised | model.Violated }

// Source returns the version of the source: 1 at the beginning, one more after each
// update.
func (v *View) Source() int { return int(v.state.Source) }

// entry returns what is under a key; nothing if the key is not known.
func (v *View) entry(store, key string) (model.Entry, bool) {
	k, ok := v.find(store, key)
	if !ok {
		return model.Entry{}, false
	}
	e := v.state.Entries[k]
	return e, e.Present()
}

func (v *View) find(store, key string) (model.KeyID, bool) {
	for k := range model.KeyID(model.MaxKeys) {
		if s, name := v.name(k); name == key && s == store {
			return k, true
		}
	}
	return 0, false
}

// Version returns of which version of the source the value under a key is; false if there
// is none.
func (v *View) Version(store, key string) (version int, ok bool) {
	e, ok := v.entry(store, key)
	return int(e.Value.N), ok && e.Value.Kind == model.KindVersion
}

// Holder returns whose token is under a key; false if there is no token. It is nobody if
// who made the token has ended or has started over.
func (v *View) Holder(store, key string) (Party, bool) {
	e, ok := v.entry(store, key)
	if !ok || e.Value.Kind != model.KindToken {
		return Party{}, false
	}
	return partyOf(v.state.Owners[e.Value.N]), true
}

// Present reports whether there is anything under a key, and whether it has a TTL.
func (v *View) Present(store, key string) (present, timed bool) {
	e, ok := v.entry(store, key)
	return ok, e.TTL > 0
}

// Believers returns who believes to hold the lock of that name, each process once.
func (v *View) Believers(key string) []Party {
	var all []Party
	for i := range v.state.Processes {
		if p := &v.state.Processes[i]; v.hasLock(p.Believes, key) {
			all = append(all, partyOf(model.OwnerOf(p)))
		}
	}
	return all
}

// hasLock reports whether a set of locks has the one of that name.
func (v *View) hasLock(set uint16, key string) bool {
	for k := range locks(set) {
		if _, name := v.name(k); name == key {
			return true
		}
	}
	return false
}

// Idle reports whether no process is at work and no request under way.
func (v *View) Idle() bool { return idle(v.state) }

// Rebuilds returns how many rebuilds are under way.
func (v *View) Rebuilds() int { return concurrentRebuilds{}.Counted(v.state, nil) }

// Step is what has happened.
type Step struct {
	// Kind is that of the steps of a trace: arrive, effect, reply, expire, fault or
	// recovery.
	Kind string
	// By is who did it; nobody for an expiry or a fault.
	By Party
	// Role is what the process is there for, Spawned says that it was spawned.
	Role    model.Role
	Spawned bool
	// Operation is what took effect or failed, as it is called in a trace, and Observation
	// what became of it: ok, missing, refused ... Both are empty if there was none.
	Operation, Observation string
	// Returned: the process returned in this step. Answer is how it answers if it is a
	// request: fresh, stale, default, empty or failed; Cancelled says that nobody waits for
	// that.
	Returned  bool
	Answer    string
	Cancelled bool
}

// Step returns what has happened.
func (v *View) Step() Step {
	e := v.event
	step := Step{Kind: e.Move.Kind.String(), Returned: e.Ended}
	if e.Process >= 0 && e.Process < len(v.state.Processes) {
		p := &v.state.Processes[e.Process]
		step.By, step.Role, step.Spawned = partyOf(model.OwnerOf(p)), p.Role, !p.Root
	}
	if e.Answer.Kind != model.NoAnswer {
		step.Answer, step.Cancelled = e.Answer.Kind.String(), e.Answer.Cancelled
	}
	if e.Operation != nil {
		step.Operation, step.Observation = e.Operation.Kind.String(), e.Observation.Code().String()
	}
	return step
}

// Change is what a step did to what is under a key.
type Change struct {
	Store, Key string
	// Before and After are the versions of the values, 0 for anything else.
	Before, After int
	// Written: a value or token was stored. Removed: what was there is gone.
	Written, Removed bool
	// Expired: it was removed by its TTL.
	Expired bool
	// Old and New are what was there and what is there now.
	Old, New Value
	// Held is whose token was there before.
	Held Party

	// key is the number of the key.
	key model.KeyID
}

// Changes returns what the step did, in order.
func (v *View) Changes() []Change {
	var all []Change
	version := func(d model.Datum) int {
		if d.Kind != model.KindVersion {
			return 0
		}
		return int(d.N)
	}
	for i := range v.event.Changes {
		c := &v.event.Changes[i]
		if c.Before == c.After && !c.Written {
			continue
		}
		store, key := v.name(c.Key)
		all = append(all, Change{
			Store: store, Key: key, Before: version(c.Before.Value), After: version(c.After.Value),
			Written: c.Written, Removed: c.Before.Present() && !c.After.Present(), Held: partyOf(c.Owner),
			Expired: (v.event.Move.Kind == model.MoveExpire || c.ByClock) && !c.After.Present(), Old: c.Before.Value, New: c.After.Value, key: c.Key,
		})
	}
	return all
}
