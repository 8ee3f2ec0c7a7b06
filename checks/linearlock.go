package checks

import (
	"fmt"
	"slices"
	"strings"

	"lockstep/checks/internal/linearize"
	"lockstep/model"
	"lockstep/protocol"

	"github.com/anishathalye/porcupine"
)

// LinearizableLock is the property that the locks of the scenario are linearizable as
// mutexes with leases: of each, one client at most is the holder, from its acquisition
// until its release or until the store lets its lease run out. A client acquires a lock
// between the step in which it asks for it and Acquired; it releases it by a delete, which
// also says whether there was something to release; a lease runs out when the TTL of the
// last key of that name does that has the client's token.
//
// That a holder does not notice the end of its lease is the business of [MutualExclusion];
// this property says that the store, or the stores of a quorum, grant the lock to one at a
// time: it is violated where a grant is forgotten or taken away.
func LinearizableLock() model.Property {
	return Linearizable(Object{
		Name: "linearizable-lock", Rule: "the lock is linearizable as a mutex with leases",
		Vacuous: "nobody ever acquired or released a lock",
		Model: porcupine.Model{
			Init: func() any { return holders("") },
			Step: func(state, input, output any) (bool, any) {
				return input.(lockInput).step(state.(holders), output.(lockOutput))
			},
		},
		Outputs: func(_, input any) []any {
			if input.(lockInput).Op == lockRelease {
				return []any{lockDone, lockLost}
			}
			return []any{lockDone}
		},
		Mentions: func(v any, client int) bool {
			if in, ok := v.(lockInput); ok {
				return in.Client == client
			}
			return v.(holders).mentions(client)
		},
		Observe:  observeLock,
		Describe: func(input any) string { return input.(lockInput).String() },
		Answer:   func(output any) string { return string(output.(lockOutput)) },
		Explain:  explainLock,
	})
}

type lockOperation string

const (
	lockAcquire lockOperation = "acquire"
	lockRelease lockOperation = "release"
	lockExpire  lockOperation = "expire"
)

type lockOutput string

const (
	lockDone lockOutput = "done"
	// lockLost: there was nothing of the client's to release.
	lockLost lockOutput = "lost"
	// lockEither: it was released or lost, and the client does not say which.
	lockEither lockOutput = "done or lost"
)

// lockInput is an operation of a client on the lock of that name.
type lockInput struct {
	Op     lockOperation
	Name   string
	Client int
	// Others are, for an expiry of which nobody knows any more whose it is, those whose it
	// is not.
	Others linearize.Numbers
}

// nobody is the client of an expiry of which nobody knows any more whose it is.
const nobody = -1

func (in lockInput) String() string {
	switch in.Op {
	case lockExpire:
		return "the lease of " + in.Name + " runs out"
	}
	return string(in.Op) + " " + in.Name
}

// step is the specification of a mutex with leases.
func (in lockInput) step(s holders, out lockOutput) (bool, any) {
	holder, held := s.of(in.Name)
	mine := held && holder == in.Client
	switch in.Op {
	case lockAcquire:
		return !held, s.with(in.Name, in.Client)
	case lockRelease:
		switch {
		case out == lockDone && !mine, out == lockLost && mine:
			return false, nil
		case mine:
			return true, s.without(in.Name)
		}
		return true, s
	}
	if in.Client == nobody {
		mine = held && !in.Others.Has(uint8(holder))
	}
	if mine {
		return true, s.without(in.Name)
	}
	return true, s
}

// holders are the locks that are held: a line for each, with its name and its client,
// sorted.
type holders string

func (s holders) of(name string) (client int, held bool) {
	for line := range strings.Lines(string(s)) {
		if rest, ok := strings.CutPrefix(line, fmt.Sprintf("%q ", name)); ok {
			_, err := fmt.Sscan(rest, &client)
			return client, err == nil
		}
	}
	return 0, false
}

func (s holders) mentions(client int) bool {
	for line := range strings.Lines(string(s)) {
		if strings.HasSuffix(line, fmt.Sprintf("\" %d\n", client)) {
			return true
		}
	}
	return false
}

func (s holders) without(name string) holders {
	var kept []string
	for line := range strings.Lines(string(s)) {
		if !strings.HasPrefix(line, fmt.Sprintf("%q ", name)) {
			kept = append(kept, line)
		}
	}
	return holders(strings.Join(kept, ""))
}

func (s holders) with(name string, client int) holders {
	lines := slices.Collect(strings.Lines(string(s.without(name))))
	lines = append(lines, fmt.Sprintf("%q %d\n", name, client))
	slices.Sort(lines)
	return holders(strings.Join(lines, ""))
}

func observeLock(t *Turn, h *History) {
	if !t.Somebody() {
		leasesRunOut(t, h)
		return
	}
	if t.event.Process == t.process && t.event.Operation != nil && t.event.Operation.Kind == model.RunScript {
		lockedInStep(t, h)
	}
	learnsOfLock(t, h)
	acquired, _ := t.Marks()
	for _, key := range acquired {
		if t.believedBefore(key) {
			continue
		}
		if !asksFor(h, lockAcquire, key) {
			h.Call(lockInput{Op: lockAcquire, Name: key, Client: h.Client()})
		}
		h.Return(lockDone)
	}
	if t.StartsOver() {
		h.Abandon()
		h.Leave()
	}
	switch next := t.Issued(); {
	case next.Kind == model.Delete && t.isLock(next.Key), next.Kind == model.DeleteIfEqual && next.Value.Kind == model.KindToken:
		h.Call(lockInput{Op: lockRelease, Name: next.Key, Client: h.Client()})
	case next.Kind == model.Set && next.Value.Kind == model.KindToken && !t.believes(next.Key) && !asksFor(h, lockAcquire, next.Key):
		h.Call(lockInput{Op: lockAcquire, Name: next.Key, Client: h.Client()})
	}
}

// lockedInStep notes what an atomic step does to locks, which is asked for and done at once.
func lockedInStep(t *Turn, h *History) {
	for _, c := range t.Changes() {
		switch {
		case c.Written && c.New.Kind == model.KindToken && t.holder(c.New) == t.Party():
			if !asksFor(h, lockAcquire, c.Key) {
				h.Call(lockInput{Op: lockAcquire, Name: c.Key, Client: h.Client()})
			}
		case c.Removed && c.Old.Kind == model.KindToken:
			h.Happens(lockInput{Op: lockRelease, Name: c.Key, Client: h.Client()}, released(c.Store, lockDone))
		}
	}
}

// learnsOfLock lets a release return, and gives up an acquisition that has been refused.
func learnsOfLock(t *Turn, h *History) {
	of, code, _ := t.Learned()
	if of.Key == "" || !asksFor(h, "", of.Key) {
		return
	}
	if asksFor(h, lockAcquire, of.Key) {
		if (code == model.Refused || code == model.Failed) && !protocol.Independent(of.Store) {
			h.Undo()
		}
		return
	}
	switch code {
	case model.Done:
		h.Return(released(of.Store, lockDone))
	case model.Missing, model.NotMine:
		h.Return(released(of.Store, lockLost))
	default:
		h.lose(code)
	}
}

// asksFor reports whether the operation of the process that is pending is about the lock,
// and of that kind; of any if it is empty.
func asksFor(h *History, op lockOperation, key string) bool {
	input, ok := h.Pending()
	in, _ := input.(lockInput)
	return ok && in.Name == key && (op == "" || in.Op == op)
}

// released is what a release in a store says of the lock: nothing if that has a part of it
// only.
func released(store string, out lockOutput) lockOutput {
	if protocol.Independent(store) {
		return lockEither
	}
	return out
}

// isLock reports whether there is a token under a key of that name.
func (t *Turn) isLock(key string) bool {
	for k := range model.KeyID(model.MaxKeys) {
		if store, name := t.name(k); store != "" && name == key && t.state.Entries[k].Value.Kind == model.KindToken {
			return true
		}
	}
	return false
}

// holder returns whose token that is.
func (t *Turn) holder(token Value) Party { return partyOf(t.state.Owners[token.N]) }

// believedBefore and believes report whether the process believed to hold the lock before
// this step, and whether it does now.
func (t *Turn) believedBefore(key string) bool { return t.hasLock(t.entered.Believed, key) }

func (t *Turn) believes(key string) bool {
	return t.hasLock(t.state.Processes[t.process].Believes, key)
}

// leasesRunOut ends the leases that run out in the step.
func leasesRunOut(t *Turn, h *History) {
	for _, c := range t.Changes() {
		if !c.Expired || c.Old.Kind != model.KindToken || t.elsewhere(c) {
			continue
		}
		client, known := h.ClientOf(c.Held)
		in := lockInput{Op: lockExpire, Name: c.Key, Client: client}
		if !known {
			in.Client, in.Others = nobody, h.clients()
		}
		h.Happens(in, lockDone)
	}
}

// elsewhere reports whether a token of the same party is under the same name in another
// store.
func (t *Turn) elsewhere(c Change) bool {
	for k := range model.KeyID(model.MaxKeys) {
		store, name := t.name(k)
		v := t.state.Entries[k].Value
		if name == c.Key && store != c.Store && v.Kind == model.KindToken && c.Held != (Party{}) && t.holder(v) == c.Held {
			return true
		}
	}
	return false
}

func explainLock(t *model.Trace) string {
	last := t.LastReturned()
	if last == nil {
		return "the lock is not linearizable"
	}
	verb, name, _ := strings.Cut(last.Input, " ")
	if last.Output == string(lockLost) {
		return fmt.Sprintf("%s was told at %s that it no longer held %s, which it did hold until it released it", last.Process, model.FormatDuration(*last.Return), name)
	}
	if verb == string(lockRelease) {
		return fmt.Sprintf("%s released %s at %s, which it did not hold: its lease had run out or it had released it before", last.Process, name, model.FormatDuration(*last.Return))
	}
	text := fmt.Sprintf("%s acquired %s at %s", last.Process, name, model.FormatDuration(*last.Return))
	for i := len(t.History) - 1; i >= 0; i-- {
		o := &t.History[i]
		if o != last && o.Input == last.Input && o.Return != nil {
			return text + fmt.Sprintf(", though %s had acquired it at %s and had neither released it nor had its lease run out", o.Process, model.FormatDuration(*o.Return))
		}
	}
	return text + ", though another had it"
}
