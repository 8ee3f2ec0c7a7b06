package scheduler_test

import (
	"testing"
	"time"

	"lockstep/protocol"
)

type swap struct{ Old, New protocol.Value }

// compareAndSwap replaces a value by another if it is still there.
func compareAndSwap(v *protocol.View, s swap) bool {
	if now, ok := v.Get("x"); !ok || now != s.Old {
		return false
	}
	v.Set("x", s.New, protocol.PX(time.Minute))
	return true
}

// An atomic step sees and changes the store at one instant, and what it returns is
// what it saw.
func TestAnAtomicStepIsOneStep(t *testing.T) {
	assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
		mine, other := c.NewToken(), c.NewToken()
		c.Store.SetNX("x", mine, time.Minute)
		swapped, _ := protocol.Atomic(c.Store, swap{mine, other}, compareAndSwap)
		now, _, _ := c.Store.Get("x")
		if swapped && now != other {
			reached(c)
		}
		return protocol.Empty()
	}), instantly), false)
}

func next(v *protocol.View, _ int) [2]protocol.Value {
	return [2]protocol.Value{v.Incr("n"), v.Incr("n")}
}

func older(_ *protocol.View, pair [2]protocol.Value) bool { return protocol.Older(pair[0], pair[1]) }

// A counter grows, in an atomic step and outside of one.
func TestCountersGrow(t *testing.T) {
	assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
		before, _ := c.Store.Incr("n")
		pair, _ := protocol.Atomic(c.Store, 0, next)
		first, _ := protocol.Atomic(c.Store, [2]protocol.Value{before, pair[0]}, older)
		second, _ := protocol.Atomic(c.Store, pair, older)
		equal, _ := protocol.Atomic(c.Store, [2]protocol.Value{pair[1], pair[1]}, older)
		if !first || !second || equal {
			reached(c)
		}
		return protocol.Empty()
	})), false)
}

func lockFor(v *protocol.View, l struct {
	Token protocol.Token
	TTL   time.Duration
}) bool {
	return v.SetNX("x", l.Token, l.TTL)
}

// A TTL that is set in an atomic step runs as any other, and may need a finer tick
// than everything known before.
func TestATTLOfAnAtomicStepRunsOut(t *testing.T) {
	assertReached(t, allowed(t, code(func(c *protocol.Client) protocol.Answer {
		protocol.Atomic(c.Store, struct {
			Token protocol.Token
			TTL   time.Duration
		}{c.NewToken(), 1500 * time.Millisecond}, lockFor)
		c.Sleep(time.Second)
		_, early, _ := c.Store.Get("x")
		c.Sleep(time.Second)
		_, late, _ := c.Store.Get("x")
		if !early || late {
			reached(c)
		}
		return protocol.Empty()
	}), instantly), false)
}

var atomicCalls int

func impure(v *protocol.View, _ int) int {
	atomicCalls++
	return atomicCalls
}

func fails(v *protocol.View, _ int) int {
	panic("out of order") // here: panic in it
}

func stranger(v *protocol.View, _ int) bool {
	v.Set("x", protocol.Value{}) // here: stranger
	return true
}

func unequal(v *protocol.View, pair [2]protocol.Value) bool {
	return protocol.Older(pair[0], pair[1]) // here: tokens compared
}

// What would make an atomic step something else is refused.
func TestWhatIsNoAtomicStepIsRefused(t *testing.T) {
	for _, b := range []breach{
		{"closure", code(func(c *protocol.Client) protocol.Answer {
			n := 1
			protocol.Atomic(c.Store, 0, func(*protocol.View, int) int { return n }) // here: closure
			return protocol.Empty()
		}), "is a closure"},
		{"impure", code(func(c *protocol.Client) protocol.Answer {
			protocol.Atomic(c.Store, 0, impure) // here: impure
			return protocol.Empty()
		}), "in one run and"},
		{"panic in it", code(func(c *protocol.Client) protocol.Answer {
			protocol.Atomic(c.Store, 0, fails)
			return protocol.Empty()
		}), "panicked: out of order"},
		{"argument that is a slice", code(func(c *protocol.Client) protocol.Answer {
			protocol.Atomic(c.Store, []int{1}, func(*protocol.View, []int) int { return 0 }) // here: argument that is a slice
			return protocol.Empty()
		}), ""},
		{"task in it", code(func(c *protocol.Client) protocol.Answer {
			task := protocol.Go(c, func(c *protocol.Client) bool { return true })
			protocol.Atomic(c.Store, task, taskIn) // here: task in it
			return protocol.Empty()
		}), "means nothing to a store"},
		{"stranger", code(func(c *protocol.Client) protocol.Answer {
			protocol.Atomic(c.Store, 0, stranger)
			return protocol.Empty()
		}), "not in the arguments"},
		{"tokens compared", code(func(c *protocol.Client) protocol.Answer {
			protocol.Atomic(c.Store, [2]protocol.Value{c.NewToken(), c.NewToken()}, unequal)
			return protocol.Empty()
		}), "Older compares"},
		{"older outside", code(func(c *protocol.Client) protocol.Answer {
			a, _ := c.Source.Read()
			protocol.Older(a, a) // here: older outside
			return protocol.Empty()
		}), "Older is for functions that Atomic runs"},
		{"counter", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Set("n", c.NewToken())
			c.Store.Incr("n") // here: counter
			return protocol.Empty()
		}), "holds no counter"},
	} {
		t.Run(b.name, func(t *testing.T) { b.refused(t) })
	}
}

func taskIn(*protocol.View, *protocol.Task[bool]) int { return 0 }
