package scheduler_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// A client belongs to its process, whatever context it is in.
func TestWhatMayNotBeDoneWithContextsIsRefused(t *testing.T) {
	for _, b := range []breach{
		{"parent's part", code(func(c *protocol.Client) protocol.Answer {
			part, _ := c.WithCancel()
			protocol.Go(part, func(*protocol.Client) bool {
				part.Store.Del("x") // here: parent's part
				return true
			}).Wait()
			return protocol.Empty()
		}), "used by another process"},
		{"child's context", code(func(c *protocol.Client) protocol.Answer {
			end := func() {}
			protocol.Go(c, func(c *protocol.Client) bool {
				_, end = c.WithCancel()
				c.Sleep(time.Second)
				return true
			}).Wait()
			end() // here: child's context
			return protocol.Empty()
		}), "context was used that this process does not have"},
		{"a context opened after Go", code(func(c *protocol.Client) protocol.Answer {
			end := func() {}
			protocol.Go(c, func(c *protocol.Client) bool {
				c.Sleep(time.Second)
				end() // here: a context opened after Go
				return true
			})
			_, end = c.WithCancel()
			c.Sleep(time.Minute)
			return protocol.Empty()
		}), "context was used that this process does not have"},
		{"cancelled by the go statement", code(func(c *protocol.Client) protocol.Answer {
			_, end := c.WithCancel()
			done := make(chan bool)
			go func() {
				defer close(done)
				end() // here: cancelled by the go statement
			}()
			<-done
			return protocol.Empty()
		}), "instead of the go statement"},
		{"a timeout without bound", code(func(c *protocol.Client) protocol.Answer {
			c.WithTimeout(model.Unbounded) // here: a timeout without bound
			return protocol.Empty()
		}), "use WithCancel"},
		{"client as a result", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) *protocol.Client { // here: client as a result
				part, _ := c.WithCancel()
				return part
			}).Wait()
			return protocol.Empty()
		}), "cannot be the result of a process"},
		{"forgotten client", code(func(c *protocol.Client) protocol.Answer {
			part, _ := c.WithCancel()
			for {
				c.Checkpoint()
				part.Sleep(time.Second) // here: forgotten client
			}
		}), "a local missing from a Checkpoint"},
		{"forgotten cancel", code(func(c *protocol.Client) protocol.Answer {
			_, end := c.WithCancel()
			c.Checkpoint()
			c.Sleep(time.Second)
			end() // here: forgotten cancel
			return protocol.Empty()
		}), "a local missing from a Checkpoint"},
		{"now and then through a part", code(func(c *protocol.Client) protocol.Answer {
			calls++
			part, _ := c.WithCancel()
			if calls%2 == 0 {
				part = c
			}
			part.Sleep(time.Second) // here: now and then through a part
			return protocol.Empty()
		}), causes},
		{"now and then below a part", code(func(c *protocol.Client) protocol.Answer {
			calls++
			part, _ := c.WithCancel()
			if calls%2 == 0 {
				part = c
			}
			below, _ := part.WithCancel()
			below.Sleep(time.Second) // here: now and then below a part
			return protocol.Empty()
		}), causes},
	} {
		t.Run(b.name, b.refused)
	}
}

// calls is what protocol code must not have.
var calls int

func TestThereAreAtMostSoManyContexts(t *testing.T) {
	open := func(n int, more func(c *protocol.Client)) protocol.Protocol {
		return code(func(c *protocol.Client) protocol.Answer {
			part := c
			for range n {
				part, _ = part.WithCancel()
			}
			part.Store.Get("x")
			more(c)
			return protocol.Empty()
		})
	}
	none := func(*protocol.Client) {}
	s := scheduler.NewScenario(open(model.MaxContexts+1, none))
	_, err := scheduler.Check(context.Background(), s, checks.All(0), scheduler.Options{})
	var limit *model.LimitError
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "more than 7 contexts that are not done; cancel those") || limit.Source.Line == 0 {
		t.Errorf("one more than there can be: %v", err)
	}
	allowed(t, open(model.MaxContexts, none))
	// What is cancelled counts no more, and what is forgotten neither.
	allowed(t, code(func(c *protocol.Client) protocol.Answer {
		for round := range 3 * model.MaxContexts {
			c.Checkpoint(round)
			part, cancel := c.WithTimeout(time.Hour)
			part.Store.Get("x")
			if cancel(); !part.Cancelled() {
				reached(c)
			}
			c.WithCancel()
		}
		return protocol.Empty()
	}))
	allowed(t, code(func(c *protocol.Client) protocol.Answer {
		for range model.MaxContexts {
			c.WithTimeout(time.Hour)
		}
		c.Checkpoint()
		for range model.MaxContexts {
			c.WithCancel()
		}
		c.Store.Get("x")
		return protocol.Empty()
	}))
	allowed(t, code(func(c *protocol.Client) protocol.Answer {
		for round := range model.MaxContexts + 1 {
			c.Checkpoint(round)
			part, _ := c.WithCancel()
			part.WithoutCancel(func() {
				protocol.Go(part, func(c *protocol.Client) bool {
					c.Checkpoint()
					return c.Sleep(time.Hour) == nil
				})
			})
		}
		return protocol.Empty()
	}))
}

// A checkpoint keeps the context in which a process is, and those of the clients that it
// names, with all that ends them.
func TestACheckpointKeepsTheContextsThatAreNeeded(t *testing.T) {
	loop := func(c *protocol.Client, locals ...any) error {
		for {
			c.Checkpoint(locals...)
			if err := c.Sleep(700 * time.Millisecond); err != nil {
				return err
			}
		}
	}
	for name, handle := range map[string]code{
		"that of a spawned process": func(c *protocol.Client) protocol.Answer {
			part, cancel := c.WithCancel()
			task := protocol.Go(part, func(c *protocol.Client) bool { return gaveUp(loop(c)) })
			c.Sleep(time.Second)
			cancel()
			if !task.Wait() || !part.Cancelled() {
				reached(c)
			}
			return protocol.Empty()
		},
		"that of a spawned process, though another client calls it": func(c *protocol.Client) protocol.Answer {
			part, _ := c.WithTimeout(time.Second)
			task := protocol.Go(part, func(c *protocol.Client) bool {
				below, _ := c.WithCancel()
				below.Checkpoint()
				return gaveUp(c.Sleep(time.Hour))
			})
			if !task.Wait() {
				reached(c)
			}
			return protocol.Empty()
		},
		"that of the client": func(c *protocol.Client) protocol.Answer {
			part, _ := c.WithTimeout(time.Second)
			if !gaveUp(loop(part)) {
				reached(c)
			}
			return protocol.Empty()
		},
		"that of a client that is named": func(c *protocol.Client) protocol.Answer {
			part, cancel := c.WithCancel()
			c.Checkpoint(part)
			cancel()
			if !gaveUp(part.Sleep(time.Second)) {
				reached(c)
			}
			return protocol.Empty()
		},
		"the timer of one above it": func(c *protocol.Client) protocol.Answer {
			above, _ := c.WithTimeout(time.Second)
			part, _ := above.WithCancel()
			if !gaveUp(loop(part)) {
				reached(c)
			}
			return protocol.Empty()
		},
	} {
		t.Run(name, func(t *testing.T) { assertReached(t, allowed(t, handle), false) })
	}
}

// parts opens contexts that end in every way.
func parts(c *protocol.Client) protocol.Answer {
	first, cancel := c.WithTimeout(2 * time.Second)
	second, end := first.WithCancel()
	task := protocol.Go(second, func(c *protocol.Client) bool {
		below, _ := c.WithTimeout(time.Second)
		below.SleepBetween(0, 2*time.Second)
		return c.Cancelled()
	})
	protocol.Go(c, func(c *protocol.Client) bool {
		c.SleepBetween(0, 3*time.Second)
		end()
		return true
	})
	first.Store.Get("x")
	if task.Wait() {
		second.Store.Get("y")
	}
	cancel()
	return protocol.Empty()
}

// What is stored of contexts is the state: decoding gives it back, and it is in canonical
// form already.
func TestStoredContextsDecodeToThemselvesAndAreCanonical(t *testing.T) {
	s := scheduler.NewScenario(code(parts))
	s.Nodes, s.Updates = 1, 0
	s.Faults = []model.Fault{faults.Pause(1, 2*time.Second)}
	with, without := 0, 0
	o := scheduler.Visit(scheduler.Options{}, func(s *model.State, rules *model.Rules) {
		want := s.Encode(nil)
		var decoded model.State
		decoded.Decode(want, len(s.Nodes), len(s.Memory))
		contexts := false
		for i := range decoded.Processes {
			for _, reg := range decoded.Processes[i].Held() {
				contexts = contexts || reg.Kind == model.KindContext
			}
		}
		if contexts != decoded.Contexts {
			t.Fatalf("there are contexts: %t, and the state says %t", contexts, decoded.Contexts)
		}
		if contexts {
			with++
		} else {
			without++
		}
		source := rules.Canonical(&decoded, noValues{}, false, nil)
		for clock, from := range source {
			if int(from) != clock+1 {
				t.Fatalf("clocks of a canonical state are renumbered: %v", source)
			}
		}
		if got := decoded.Encode(nil); !bytes.Equal(got, want) {
			t.Fatalf("canonical form is not idempotent:\n%x\n%x", want, got)
		}
	})
	if _, err := scheduler.Check(context.Background(), s, checks.All(1), o); err != nil {
		t.Fatal(err)
	}
	if with == 0 || without == 0 {
		t.Errorf("%d states with contexts and %d without", with, without)
	}
}

// Nothing is left of contexts that nobody can cancel or be in any more: two ways to the
// same place lead to the same state.
func TestContextsThatAreOverLeaveNoTrace(t *testing.T) {
	states := func(before func(c *protocol.Client)) int {
		s := scheduler.NewScenario(code(func(c *protocol.Client) protocol.Answer {
			before(c)
			c.Checkpoint()
			for range 3 {
				c.Sleep(time.Second)
			}
			return protocol.Empty()
		}))
		s.Nodes, s.Updates = 1, 0
		r, err := scheduler.Check(context.Background(), s, checks.All(0), scheduler.Options{SeparateWaits: true})
		if err != nil {
			t.Fatal(err)
		}
		return r.Stats.States
	}
	plain := states(func(*protocol.Client) {})
	for name, before := range map[string]func(c *protocol.Client){
		"not cancelled":   func(c *protocol.Client) { c.WithCancel() },
		"not timed out":   func(c *protocol.Client) { c.WithTimeout(1500 * time.Millisecond) },
		"over in advance": func(c *protocol.Client) { c.WithTimeout(0) },
		"cancelled": func(c *protocol.Client) {
			part, cancel := c.WithTimeout(1500 * time.Millisecond)
			part.WithCancel()
			cancel()
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := states(before); got > plain+2 {
				t.Errorf("%d states, and %d without a context", got, plain)
			}
		})
	}
}

// The trace of a cancellation and of a timeout says so in words, with the line of each.
func TestATraceTellsOfContextsInWords(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		part, _ := c.WithTimeout(time.Second)
		below, cancel := part.WithCancel()
		cancel()
		if below.Cancelled() && gaveUp(part.Sleep(time.Minute)) && !c.Cancelled() {
			reached(c)
		}
		return protocol.Empty()
	}))
	trace := broken(r)["no-orphaned-lock"]
	if trace == "" {
		t.Fatal("not reached")
	}
	var told []string
	for _, v := range r.Verdicts {
		if v.Property != "no-orphaned-lock" {
			continue
		}
		for _, s := range v.Trace.Steps {
			told = append(told, s.Kind+": "+s.Text)
			if s.Kind != "arrive" && (s.Source == nil || s.Source.Line == 0) {
				t.Errorf("%s has no line", s.Text)
			}
		}
	}
	want := []string{
		"arrive: the request arrives", "effect: WithTimeout 1s", "effect: cancels its context", "effect: Cancelled -> yes",
		"timeout: the context of n0/0 times out", "effect: Sleep 1m -> cancelled", "effect: Cancelled -> no", "effect: Set reached #1",
	}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("the trace says\n%s", strings.Join(told, "\n"))
	}
}
