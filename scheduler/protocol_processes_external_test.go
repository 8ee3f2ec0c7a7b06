package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Processes share nothing but what they had at Go, results, and their node.
func TestWhatProcessesMayNotShareIsRefused(t *testing.T) {
	const shared = "share a variable"
	const foreign = "used by another process"
	for _, b := range []breach{
		{"done flag", code(func(c *protocol.Client) protocol.Answer {
			done := false
			protocol.Go(c, func(c *protocol.Client) bool {
				for {
					c.Checkpoint()
					c.Sleep(time.Second)
					if done {
						return true
					}
					c.Store.Del("x") // here: done flag
				}
			})
			c.Sleep(time.Minute)
			done = true
			c.Store.Del("y")
			return protocol.Empty()
		}), shared},
		{"parent counts", code(func(c *protocol.Client) protocol.Answer {
			n := 0
			protocol.Go(c, func(c *protocol.Client) bool {
				c.Sleep(time.Second)
				c.Store.Del(fmt.Sprint("child", n)) // here: parent counts
				return true
			})
			n++
			c.Sleep(2 * time.Second)
			return protocol.Empty()
		}), shared},
		{"result in a variable", code(func(c *protocol.Client) protocol.Answer {
			var result bool
			task := protocol.Go(c, func(c *protocol.Client) bool {
				found, _ := c.Store.Del("x")
				result = !found
				return true
			})
			task.Wait()
			c.Store.Del(fmt.Sprint("found ", result)) // here: result in a variable
			return protocol.Empty()
		}), shared},
		{"value in a variable", code(func(c *protocol.Client) protocol.Answer {
			var v protocol.Value
			protocol.Go(c, func(c *protocol.Client) bool {
				v, _ = c.Source.Read()
				return true
			}).Wait()
			c.Cache.Set("feed", v) // here: value in a variable
			return protocol.Empty()
		}), ""},
		{"child's value outside", code(func(c *protocol.Client) protocol.Answer {
			leaked := make([]protocol.Value, 1)
			protocol.Go(c, func(c *protocol.Client) bool {
				leaked[0] = c.NewToken()
				c.Sleep(time.Second)
				return true
			}).Wait()
			c.Store.Del("x")
			c.Store.SetNX("lock", leaked[0], time.Second) // here: child's value outside
			return protocol.Empty()
		}), ""},
		{"parent's client", code(func(parent *protocol.Client) protocol.Answer {
			protocol.Go(parent, func(*protocol.Client) bool {
				parent.Store.Del("x") // here: parent's client
				return true
			}).Wait()
			return protocol.Empty()
		}), foreign},
		{"child's client", code(func(c *protocol.Client) protocol.Answer {
			var inner *protocol.Client
			protocol.Go(c, func(c *protocol.Client) bool {
				inner = c
				c.Sleep(time.Second)
				return true
			}).Wait()
			if inner != nil {
				inner.Store.Del("x") // here: child's client
			}
			return protocol.Empty()
		}), ""},
		{"go statement", code(func(c *protocol.Client) protocol.Answer {
			done := make(chan bool)
			go func() {
				defer close(done)
				c.Store.Del("x") // here: go statement
			}()
			<-done
			return protocol.Empty()
		}), "instead of the go statement"},
		{"deadline of the parent", code(func(c *protocol.Client) protocol.Answer {
			d := c.Deadline(time.Second)
			protocol.Go(c, func(c *protocol.Client) bool {
				return d.Passed() // here: deadline of the parent
			}).Wait()
			return protocol.Empty()
		}), ""},
		{"task of the parent", code(func(c *protocol.Client) protocol.Answer {
			first := protocol.Go(c, func(c *protocol.Client) bool { return c.Sleep(time.Second) == nil })
			protocol.Go(c, func(c *protocol.Client) bool {
				first.Stop() // here: task of the parent
				return true
			}).Wait()
			return protocol.Empty()
		}), ""},
		{"slice as a result", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) []int { // here: slice as a result
				return []int{1}
			}).Wait()
			return protocol.Empty()
		}), "the result of a spawned process"},
		{"task as a result", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) *protocol.Task[bool] { // here: task as a result
				return protocol.Go(c, func(c *protocol.Client) bool { return true })
			}).Wait()
			return protocol.Empty()
		}), "cannot be the result of a process"},
		{"too many values as a result", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) [4]protocol.Token { // here: too many values as a result
				return [4]protocol.Token{c.NewToken(), c.NewToken(), c.NewToken(), c.NewToken()}
			}).Wait()
			return protocol.Empty()
		}), "at most 3"},
	} {
		t.Run(b.name, b.refused)
	}
}

// allowed checks code that keeps the rules, on one node without updates, and
// returns the report on all properties.
func allowed(t *testing.T, p protocol.Protocol, change ...func(*scheduler.Scenario)) *scheduler.Report {
	t.Helper()
	s := scheduler.NewScenario(p)
	s.Nodes, s.Updates = 1, 0
	for _, c := range change {
		c(&s)
	}
	r, err := scheduler.Check(context.Background(), s, checks.All(0), scheduler.Options{Patience: time.Second, MaxStates: 200000})
	if err != nil {
		t.Fatalf("%T: %v", p, err)
	}
	if !r.Exhausted {
		t.Fatalf("not exhausted: %s", r.CutOff)
	}
	return r
}

// reached is how a protocol in these tests says that it has come somewhere that
// it must not come to, if unwanted: it leaves a lock behind that nobody removes,
// which violates no-orphaned-lock.
func reached(c *protocol.Client) { c.Store.Set("reached", c.NewToken()) }

// assertReached asserts whether some run comes to reached.
func assertReached(t *testing.T, r *scheduler.Report, want bool) {
	t.Helper()
	if _, got := broken(r)["no-orphaned-lock"]; got != want {
		t.Errorf("reached: %t, want %t; broken: %v", got, want, broken(r))
	}
}

type owned struct {
	Token protocol.Token
	Value protocol.Value
	Found bool
	Err   error
}

// Results travel through Wait, and what is equal in the world is equal for whoever
// waits.
func TestAResultIsEqualToWhatTheParentHas(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		before, _ := c.Source.Read()
		got := protocol.Go(c, func(c *protocol.Client) owned {
			v, err := c.Source.Read()
			return owned{token, v, true, err}
		}).Wait()
		if got.Token != token || got.Value != before || !got.Found || got.Err != nil {
			reached(c)
		}
		return protocol.Empty()
	}))
	assertReached(t, r, false)
	r = allowed(t, code(func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		got := protocol.Go(c, func(c *protocol.Client) owned { return owned{Token: c.NewToken()} }).Wait()
		if got.Token != token {
			reached(c)
		}
		return protocol.Empty()
	}))
	assertReached(t, r, true)
}

// Results of every kind that may be one come back as they were.
func TestResultsOfEveryKindComeBack(t *testing.T) {
	for name, handle := range map[string]code{
		"nil error": func(c *protocol.Client) protocol.Answer {
			if err := protocol.Go(c, func(c *protocol.Client) error { return nil }).Wait(); err != nil {
				reached(c)
			}
			return protocol.Empty()
		},
		"error": func(c *protocol.Client) protocol.Answer {
			task := protocol.Go(c, func(c *protocol.Client) error { return c.Sleep(time.Second) })
			task.Stop()
			if err := task.Wait(); err != nil && !errors.Is(err, protocol.ErrStopped) {
				reached(c)
			}
			return protocol.Empty()
		},
		"any": func(c *protocol.Client) protocol.Answer {
			if got := protocol.Go(c, func(c *protocol.Client) any { return nil }).Wait(); got != nil {
				reached(c)
			}
			return protocol.Empty()
		},
		"token in an interface": func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			got := protocol.Go(c, func(c *protocol.Client) struct{ V any } { return struct{ V any }{token} }).Wait()
			c.Store.SetNX("lock", got.V.(protocol.Token), time.Second)
			if got.V != any(token) {
				reached(c)
			}
			return protocol.Empty()
		},
		"array": func(c *protocol.Client) protocol.Answer {
			a, b := c.NewToken(), c.NewToken()
			got := protocol.Go(c, func(c *protocol.Client) [3]protocol.Token { return [3]protocol.Token{b, a, b} }).Wait()
			if got != [3]protocol.Token{b, a, b} {
				reached(c)
			}
			return protocol.Empty()
		},
		"zero value": func(c *protocol.Client) protocol.Answer {
			got := protocol.Go(c, func(c *protocol.Client) owned { return owned{} }).Wait()
			if got != (owned{}) {
				reached(c)
			}
			return protocol.Empty()
		},
		"nothing": func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) struct{} { return struct{}{} }).Wait()
			return protocol.Empty()
		},
		"twice": func(c *protocol.Client) protocol.Answer {
			task := protocol.Go(c, func(c *protocol.Client) protocol.Token { return c.NewToken() })
			once := task.Wait()
			if again := task.Wait(); again != once {
				reached(c)
			}
			return protocol.Empty()
		},
	} {
		t.Run(name, func(t *testing.T) { assertReached(t, allowed(t, handle), false) })
	}
}

// A child spawns in its turn, generation after generation.
func TestAChildMaySpawnInItsTurn(t *testing.T) {
	var descend func(c *protocol.Client, generations int) protocol.Token
	descend = func(c *protocol.Client, generations int) protocol.Token {
		token := c.NewToken()
		if generations == 0 {
			return token
		}
		c.Sleep(time.Second)
		got := protocol.Go(c, func(c *protocol.Client) protocol.Token { return descend(c, generations-1) }).Wait()
		if got == token {
			reached(c)
		}
		return got
	}
	for generations := range 6 {
		assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
			descend(c, generations)
			return protocol.Empty()
		})), false)
		// The counterexample has the whole dynasty in it.
		assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
			descend(c, generations)
			reached(c)
			return protocol.Empty()
		})), true)
	}
}

// Tasks may be spawned in an endless loop as long as they end.
func TestTwoTasksSpawnedInALoopWithACheckpoint(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		for {
			c.Checkpoint(token)
			if ok, _ := c.Store.SetNX("lock", token, 10*time.Second); !ok {
				return protocol.Stale()
			}
			a := protocol.Go(c, func(c *protocol.Client) bool { return c.Sleep(time.Second) == nil })
			b := protocol.Go(c, func(c *protocol.Client) bool { return c.Sleep(2*time.Second) == nil })
			b.Stop()
			if stopped := !b.Wait(); !stopped || !a.Wait() {
				reached(c)
			}
			c.Store.DelIfEqual("lock", token)
		}
	}))
	assertReached(t, r, false)
}

// After Again nothing of the try is remembered, but its children go on.
func TestAChildOutlivesTheTryThatSpawnedIt(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		if _, found, _ := c.Store.Get("flag"); found {
			return protocol.Empty()
		}
		token := c.NewToken()
		protocol.Go(c, func(c *protocol.Client) bool {
			c.Sleep(time.Second)
			c.Store.Set("flag", token, protocol.PX(time.Minute))
			return true
		})
		c.Sleep(3 * time.Second)
		return protocol.Again()
	}))
	if got := broken(r); got["answered"] != "" {
		t.Errorf("the child of the first try has no effect: %v", got)
	}
}

// Deferred calls of a process that is abandoned reach nothing, those of one that
// returns do.
func TestDeferredCallsTakeEffectOnlyWhenTheProcessReturns(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		token := c.NewToken()
		if ok, _ := c.Store.SetNX("lock", token, 0); !ok {
			return protocol.Stale()
		}
		defer func() {
			c.Releasing("lock")
			c.Store.DelIfEqual("lock", token)
		}()
		c.Acquired("lock")
		c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
		return protocol.Empty()
	}), nodes(2))
	if got := broken(r); len(got) != 0 {
		t.Errorf("broken: %v", got)
	}
}

// Code that swallows every panic is learned like any other: what unwinds it is
// thrown again at its next call.
func TestCodeThatRecoversFromEverythingIsLearned(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) (answer protocol.Answer) {
		defer func() { recover() }()
		for range 3 {
			func() {
				defer func() { recover() }()
				c.Sleep(time.Second)
			}()
			if _, found, _ := c.Store.Get("flag"); found {
				return protocol.Stale()
			}
		}
		return protocol.Empty()
	}))
	if got := broken(r); len(got) != 0 {
		t.Errorf("broken: %v", got)
	}
	breach{"swallowed misuse", code(func(c *protocol.Client) protocol.Answer {
		func() {
			defer func() { recover() }()
			c.Deadline(0) // here: swallowed misuse
		}()
		c.Store.Del("x")
		return protocol.Empty()
	}), "positive"}.refused(t)
}

// Code that swallows every panic and never ends is not waited for either.
func TestAnEndlessLoopThatRecoversFromEverythingIsRefused(t *testing.T) {
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	breach{"endless recovery", code(func(c *protocol.Client) protocol.Answer {
		for {
			func() {
				defer func() { recover() }()
				c.Checkpoint() // here: endless recovery
				c.Sleep(time.Second)
			}()
			select {
			case <-over:
				return protocol.Empty()
			default:
			}
		}
	}), "never ends"}.refused(t)
}
