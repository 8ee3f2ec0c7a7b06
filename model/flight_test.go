package model

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/singleflight"
	"pgregory.net/rapid"
)

// flightAction is a call of Do, the end of the work that a call does, or a Forget.
type flightAction struct {
	kind string
	key  int
	// call is the number of the call whose work ends, with the result.
	call, result int
}

// The results with which work ends: values, an error, a panic.
const (
	flightError = 2
	flightPanic = 3
)

// flightOutcome is what is known of a call of Do.
type flightOutcome struct {
	works, done bool
	result      int
	shared      bool
}

// flightCode is an automaton whose processes do what the test tells them: join
// under a key (local states 0 and 1), wait, resolve with a result (10 to 13), forget
// (20 and 21), work, return.
type flightCode struct{}

const (
	localWait   = 5
	localWork   = 6
	localReturn = 7
)

func (flightCode) Start(ProgramID) (*Edge, error) { return &Edge{To: localReturn}, nil }
func (flightCode) Script(LocalID, *ScriptInput) (*ScriptRun, error) {
	return nil, errors.New("there are no scripts")
}
func (flightCode) Rank(l LocalID) uint64 { return uint64(l) }
func (flightCode) Store(KeyID) StoreID   { return 0 }

func (flightCode) Operation(l LocalID) *Operation {
	op := &Operation{Arg: NoRegister}
	switch {
	case l < 2:
		op.Kind, op.Key, op.OrStart = JoinFlight, KeyID(l), true
	case l == localWait:
		op.Kind, op.Arg = AwaitFlight, 0
	case l == localWork:
		op.Kind, op.Max = Sleep, Forever
	case l >= 20:
		op.Kind, op.Key = ForgetFlight, KeyID(l-20)
	case l >= 10:
		op.Kind, op.Arg, op.Class = ResolveFlight, 0, uint16(l-10)
	}
	return op
}

func (flightCode) Next(l LocalID, o Observation) (*Edge, error) {
	to := LocalID(localReturn)
	switch {
	case l < 2 && o.Code() == Started:
		to = localWork
	case l < 2:
		to = localWait
	}
	return &Edge{To: to}, nil
}

// modelFlights lets the model do the actions and returns the outcomes of the calls
// after each of them.
func modelFlights(t *rapid.T, calls int, actions []flightAction) [][]flightOutcome {
	r := &Rules{Automaton: flightCode{}}
	s := &State{}
	if err := r.Start(s, Population{Services: 1, Requests: calls + 1}); err != nil {
		t.Fatal(err)
	}
	outcomes := make([]flightOutcome, calls)
	act := func(process int, l LocalID) Event {
		s.Processes[process].Local, s.Processes[process].Phase = l, Acting
		var e Event
		if err := r.Apply(s, &Move{Kind: MoveEffect, Index: uint8(process)}, &e); err != nil {
			t.Fatal(err)
		}
		return e
	}
	var all [][]flightOutcome
	next := 0
	for _, a := range actions {
		switch a.kind {
		case "do":
			e := act(next, LocalID(a.key))
			outcomes[next].works = e.Observation.Code() == Started
			next++
		case "end":
			e := act(a.call, LocalID(10+a.result))
			outcomes[a.call] = flightOutcome{works: true, done: true, result: a.result, shared: e.Observation.Code() == Shared}
		case "forget":
			act(calls, LocalID(20+a.key))
			s.Processes[calls].Phase = Waiting
		}
		for i := range calls {
			p := &s.Processes[i]
			if p.Phase != Replying {
				continue
			}
			outcomes[i] = flightOutcome{done: true, result: int(p.Observed.Class()), shared: true}
			var e Event
			if err := r.Apply(s, &Move{Kind: MoveReply, Index: uint8(i)}, &e); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, slices.Clone(outcomes))
	}
	return all
}

// realFlights lets the package do them, in a bubble: after each action everything
// has happened that can.
func realFlights(t *testing.T, calls int, actions []flightAction) [][]flightOutcome {
	var all [][]flightOutcome
	synctest.Test(t, func(*testing.T) {
		var g singleflight.Group
		outcomes := make([]flightOutcome, calls)
		ends := make([]chan int, calls)
		next := 0
		for _, a := range actions {
			switch a.kind {
			case "do":
				call := next
				next++
				ends[call] = make(chan int)
				o := &outcomes[call]
				go func() {
					defer func() {
						if recover() != nil {
							o.done, o.result = true, flightPanic
						}
					}()
					v, err, shared := g.Do(fmt.Sprint(a.key), func() (any, error) {
						o.works = true
						switch result := <-ends[call]; result {
						case flightPanic:
							panic("the work panics")
						case flightError:
							return result, errors.New("the work fails")
						default:
							return result, nil
						}
					})
					o.done, o.result, o.shared = true, v.(int), shared
					if (err != nil) != (o.result == flightError) {
						o.result = -1
					}
				}()
			case "end":
				ends[a.call] <- a.result
			case "forget":
				g.Forget(fmt.Sprint(a.key))
			}
			synctest.Wait()
			all = append(all, slices.Clone(outcomes))
		}
		// Nobody may be left.
		for call, o := range outcomes {
			if o.works && !o.done {
				ends[call] <- 0
				synctest.Wait()
			}
		}
	})
	return all
}

// A flight is that of golang.org/x/sync/singleflight: for every sequence of calls,
// ends of work and Forgets the same calls work, wait and return at the same time
// with the same results.
func TestFlightsAreThoseOfSingleflight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var actions []flightAction
		calls := 0
		// Who works is known from the model as it goes along.
		var working []int
		for range rapid.IntRange(1, 20).Draw(rt, "actions") {
			a := flightAction{kind: rapid.SampledFrom([]string{"do", "do", "do", "end", "forget"}).Draw(rt, "kind")}
			switch a.kind {
			case "do":
				a.key = rapid.IntRange(0, 1).Draw(rt, "key")
				calls++
			case "forget":
				a.key = rapid.IntRange(0, 1).Draw(rt, "key")
			case "end":
				if len(working) == 0 {
					continue
				}
				a.call = rapid.SampledFrom(working).Draw(rt, "call")
				a.result = rapid.IntRange(0, 3).Draw(rt, "result")
			}
			actions = append(actions, a)
			all := modelFlights(rt, calls, actions)
			working = working[:0]
			for i, o := range all[len(all)-1] {
				if o.works && !o.done {
					working = append(working, i)
				}
			}
		}
		got, want := modelFlights(rt, calls, actions), realFlights(t, calls, actions)
		for i := range actions {
			for call := range calls {
				g, w := got[i][call], want[i][call]
				if w.result == flightPanic {
					// A panic tells nobody whether it was shared.
					g.shared = false
				}
				if g != w {
					rt.Fatalf("after %+v call %d is %+v in the model and %+v in the package", actions[:i+1], call, g, w)
				}
			}
		}
	})
}
