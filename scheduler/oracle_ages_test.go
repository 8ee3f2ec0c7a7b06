package scheduler_test

import (
	"slices"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// Ages by the clock of a store, which is right whatever becomes of TTLs: the oracle reads
// it, writes it with an entry, and compares with it in one step.
const (
	vStoreNow verb = "Store.Now"
	vSetNow   verb = "SetNX at now"
	// vTake sets an entry if there is none, or one that is older than its ticks: with the
	// time by the clock of the store; vTakeAt with one that the process has read.
	vTake   verb = "Take"
	vTakeAt verb = "Take at"
	// vSweep deletes what is older than its ticks, and under keyOther than n.
	vSweep verb = "Sweep"
	// vAges asks whether an entry is older than its ticks, and whether than n.
	vAges verb = "Ages"
)

// asks reports whether the instruction compares ages in one step.
func (in instruction) asks() bool {
	switch in.verb {
	case vTake, vTakeAt, vSweep, vAges:
		return true
	}
	return false
}

// dates reports whether it has to do with times that stores keep.
func (in instruction) dates() bool {
	return in.asks() || in.verb == vStoreNow || in.verb == vSetNow || in.verb == vNow
}

// dates reports whether a program has an instruction that has.
func (s *setting) dates() bool {
	for _, p := range s.programs {
		if slices.ContainsFunc(p, instruction.dates) {
			return true
		}
	}
	return false
}

// ofBoth is what a program sees of two answers.
func ofBoth(first, second bool) model.Code {
	if first {
		return pick(second, model.NotBelow, model.Passed)
	}
	return pick(second, model.Below, model.NotPassed)
}

// aged returns whether an entry may be older than so many ticks, and whether it may be not.
func (w *world) aged(key, ticks int) (older, not bool) {
	e := w.entries[key]
	if e.value.Kind == model.KindNone {
		return false, true
	}
	limit := ticks + e.at.ahead
	return e.at.age >= limit, e.at.age <= limit
}

// ages returns how an instruction that asks may end.
func (w *world) ages(in instruction) []model.Code {
	if in.verb == vTake || in.verb == vTakeAt {
		if w.entries[in.key].value.Kind == model.KindNone {
			return []model.Code{model.Done}
		}
		var codes []model.Code
		older, not := w.aged(in.key, in.ttl)
		if older {
			codes = append(codes, model.Found)
		}
		if not {
			codes = append(codes, model.Refused)
		}
		return codes
	}
	var codes []model.Code
	second := in.key
	if in.verb == vSweep {
		second = keyOther
	}
	for _, a := range []bool{false, true} {
		for _, b := range []bool{false, true} {
			older, not := w.aged(in.key, in.ttl)
			older2, not2 := w.aged(second, in.n)
			if (a && older || !a && not) && (b && older2 || !b && not2) {
				codes = append(codes, ofBoth(a, b))
			}
		}
	}
	return codes
}

// ways returns how an operation may take effect that nobody waits for, or whose reply is
// lost: as for answers, but only where the answers decide what it does.
func (w *world) ways(in instruction) []model.Code {
	if in.asks() {
		return w.ages(in)
	}
	return []model.Code{0}
}

// ask is what an instruction that asks does once the answers are known.
func (w *world) ask(p *process, in instruction, answer model.Code, s *successor) seen {
	asked := 1 << in.key
	if in.verb == vSweep {
		asked |= 1 << keyOther
	}
	for k, e := range w.entries {
		if asked&(1<<k) != 0 && e.value.Kind != model.KindNone && !e.at.known {
			// It is a mistake to ask for the age of what carries no time.
			w.endlessly = true
		}
	}
	o := seen{code: answer}
	remove := func(k int) {
		one, foreign := in, s.violates[noForeignRelease]
		one.key = k
		w.onEntry(p, one, model.Operation{Kind: model.Delete}, s)
		s.violates[noForeignRelease] = s.violates[noForeignRelease] || foreign
		w.tell(1<<k, false)
	}
	switch in.verb {
	case vTake, vTakeAt:
		if answer == model.Refused {
			return o
		}
		w.onEntry(p, in, model.Operation{Kind: model.Set, TTL: model.Ticks(in.n)}, s)
		w.entries[in.key].at = moment{known: true}
		if in.verb == vTakeAt {
			w.entries[in.key].at = p.own
		}
		w.tell(1<<in.key, false)
	case vSweep:
		if answer == model.Passed || answer == model.NotBelow {
			remove(in.key)
		}
		if answer == model.Below || answer == model.NotBelow {
			remove(keyOther)
		}
	}
	return o
}

// tinyTake are the arguments of a step that takes where the engine runs it, tinyTakeAt
// with a time.
type tinyTake struct {
	Key      string
	Value    protocol.Value
	Age, TTL time.Duration
}

type tinyTakeAt struct {
	tinyTake
	At protocol.Timestamp
}

func (a tinyTake) take(v *protocol.View, at protocol.SetOption) int {
	_, there := v.Get(a.Key)
	if there && !v.OlderThan(a.Key, a.Age) {
		return 0
	}
	options := []protocol.SetOption{at}
	if a.TTL > 0 {
		options = append(options, protocol.PX(a.TTL))
	}
	v.Set(a.Key, a.Value, options...)
	if there {
		return 1
	}
	return 2
}

func tinyTakeNow(v *protocol.View, a tinyTake) int {
	return a.take(v, protocol.AtNow(ticks(longestAge)))
}

func tinyTakeThen(v *protocol.View, a tinyTakeAt) int { return a.take(v, protocol.At(a.At)) }

// tinyAges are the arguments of one that asks twice, and deletes what is old enough.
type tinyAges struct {
	Key, Second    string
	Age, SecondAge time.Duration
	Deletes        bool
}

type tinyAnswers struct{ First, Second bool }

func tinySweep(v *protocol.View, a tinyAges) tinyAnswers {
	var r tinyAnswers
	r.First = v.OlderThan(a.Key, a.Age)
	r.Second = v.OlderThan(a.Second, a.SecondAge)
	if a.Deletes && r.First {
		v.Del(a.Key)
	}
	if a.Deletes && r.Second {
		v.Del(a.Second)
	}
	return r
}

// dated does what the instruction says if it has to do with the clock of a store.
func (l *tinyTimes) dated(store *protocol.Store, key string, v protocol.Value, in instruction) (model.Code, bool) {
	taken := func(how int, err error) (model.Code, bool) {
		return errorCode(err, [...]model.Code{model.Refused, model.Found, model.Done}[how]), true
	}
	switch in.verb {
	case vStoreNow:
		t, err := store.Now(ticks(longestAge))
		if err == nil {
			l.own = t
		}
		return errorCode(err, model.Done), true
	case vSetNow:
		ok, err := store.SetNX(key, v, 0, protocol.AtNow(ticks(longestAge)))
		return errorCode(err, pick(ok, model.Done, model.Refused)), true
	case vTake:
		return taken(protocol.Atomic(store, tinyTake{key, v, ticks(in.ttl), in.ticks(in.n)}, tinyTakeNow))
	case vTakeAt:
		return taken(protocol.Atomic(store, tinyTakeAt{tinyTake{key, v, ticks(in.ttl), in.ticks(in.n)}, l.own}, tinyTakeThen))
	case vSweep, vAges:
		a := tinyAges{Key: key, Second: key, Age: ticks(in.ttl), SecondAge: ticks(in.n), Deletes: in.verb == vSweep}
		if a.Deletes {
			a.Second = tinyKeys[keyOther].name
		}
		r, err := protocol.Atomic(store, a, tinySweep)
		return errorCode(err, ofBoth(r.First, r.Second)), true
	}
	return 0, false
}
