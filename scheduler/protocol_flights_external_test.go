package scheduler_test

import (
	"errors"
	"testing"
	"time"

	"lockstep/protocol"
	"lockstep/scheduler"
)

// together puts two requests on one node and leaves nothing else to chance.
func together(s *scheduler.Scenario) { s.Nodes, s.Requests, s.Updates = 1, 2, 0 }

// The result of a flight reaches whoever joined, whatever it is: a value, an error,
// a panic.
func TestAFlightSharesValuesErrorsAndPanics(t *testing.T) {
	for name, c := range map[string]struct {
		work func(c *protocol.Client) (protocol.Value, error)
		seen func(c *protocol.Client, v protocol.Value, err error, panicked string) bool
	}{
		"value": {
			func(c *protocol.Client) (protocol.Value, error) {
				return c.Rebuild(protocol.Range{Min: time.Second, Max: time.Second})
			},
			func(c *protocol.Client, v protocol.Value, err error, _ string) bool {
				again, _ := c.Source.Read()
				return err == nil && v == again
			},
		},
		"error": {
			func(c *protocol.Client) (protocol.Value, error) {
				c.Sleep(time.Second)
				return protocol.Value{}, errors.New("no answer")
			},
			func(_ *protocol.Client, v protocol.Value, err error, _ string) bool {
				return v == protocol.Value{} && err != nil && err.Error() == "no answer"
			},
		},
		"panic": {
			func(c *protocol.Client) (protocol.Value, error) {
				c.Sleep(time.Second)
				panic("out of order")
			},
			func(_ *protocol.Client, _ protocol.Value, _ error, panicked string) bool {
				return panicked == "out of order"
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, led := range []bool{true, false} {
				r := allowed(t, code(func(client *protocol.Client) protocol.Answer {
					led1 := false
					v, panicked, err := tryDo(client, func() (protocol.Value, error) {
						led1 = true
						return c.work(client)
					})
					if led1 == led && c.seen(client, v, err, panicked) {
						reached(client)
					}
					return protocol.Empty()
				}), together)
				assertReached(t, r, true)
				r = allowed(t, code(func(client *protocol.Client) protocol.Answer {
					v, panicked, err := tryDo(client, func() (protocol.Value, error) { return c.work(client) })
					if !c.seen(client, v, err, panicked) {
						reached(client)
					}
					return protocol.Empty()
				}), together)
				assertReached(t, r, false)
			}
		})
	}
}

// tryDo is Do, and what it panics with.
func tryDo(c *protocol.Client, work func() (protocol.Value, error)) (v protocol.Value, panicked string, err error) {
	defer func() {
		if p, ok := recover().(*protocol.PanicError); ok {
			panicked = p.Value
		}
	}()
	v, err, _ = c.Do("feed", work)
	return v, "", err
}

// At most one works at a time, unless the flight is forgotten; nodes share nothing.
func TestWhoComesDuringAFlightJoinsIt(t *testing.T) {
	overlap := func(forget bool) code {
		return func(c *protocol.Client) protocol.Answer {
			c.Do("feed", func() (protocol.Value, error) {
				if free, _ := c.Store.SetNX("working", c.NewToken(), 0); !free {
					reached(c)
				}
				if forget {
					c.Forget("feed")
				}
				c.Sleep(time.Second)
				c.Store.Del("working")
				return protocol.Value{}, nil
			})
			return protocol.Empty()
		}
	}
	assertReached(t, allowed(t, overlap(false), together), false)
	assertReached(t, allowed(t, overlap(true), together), true)
	apart := func(s *scheduler.Scenario) { s.Nodes, s.Requests, s.Updates = 2, 1, 0 }
	assertReached(t, allowed(t, overlap(false), apart), true)
}

// Join waits only if there is a flight, and flights under other keys are none.
func TestJoinFindsAFlightUnderItsKey(t *testing.T) {
	leads := func(key string) code {
		return func(c *protocol.Client) protocol.Answer {
			if _, _, joined := c.Join("feed"); joined {
				reached(c)
				return protocol.Empty()
			}
			f := c.Fly(key)
			c.Sleep(time.Second)
			f.Resolve(protocol.Value{}, nil)
			return protocol.Empty()
		}
	}
	assertReached(t, allowed(t, leads("feed"), together), true)
	assertReached(t, allowed(t, leads("other"), together), false)
}

// A flight that nobody resolves would leave those who joined for ever.
func TestAFlightMustBeResolved(t *testing.T) {
	for _, b := range []breach{
		{"unresolved", code(func(c *protocol.Client) protocol.Answer {
			c.Fly("feed")
			c.Store.Del("x") // here: unresolved
			return protocol.Empty()
		}), "after this the process returns"},
		{"starts over in flight", code(func(c *protocol.Client) protocol.Answer {
			c.Fly("feed")
			c.Sleep(time.Second)
			return protocol.Again() // here: starts over in flight
		}), "the request starts over"},
		{"forgotten flight", code(func(c *protocol.Client) protocol.Answer {
			c.Fly("feed")
			for {
				c.Checkpoint() // here: forgotten flight
				c.Sleep(time.Second)
			}
		}), "not named in this Checkpoint"},
	} {
		t.Run(b.name, func(t *testing.T) { b.refused(t) })
	}
}

// A flight that a checkpoint names goes on.
func TestAFlightMayPassACheckpoint(t *testing.T) {
	r := allowed(t, code(func(c *protocol.Client) protocol.Answer {
		if _, _, joined := c.Join("feed"); joined {
			reached(c)
			return protocol.Empty()
		}
		f := c.Fly("feed")
		for tries := 0; ; tries = 1 {
			c.Checkpoint(f, tries)
			c.Sleep(time.Second)
			if tries > 0 {
				f.Resolve(protocol.Value{}, nil)
				return protocol.Empty()
			}
		}
	}), together)
	assertReached(t, r, true)
}
