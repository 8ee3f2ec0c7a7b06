package scheduler_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// code is a protocol made of a function.
type code func(c *protocol.Client) protocol.Answer

func (f code) Handle(c *protocol.Client) protocol.Answer { return f(c) }

// breach is protocol code that breaks a rule. The line that the error has to name
// ends in a comment "here: name".
type breach struct {
	name string
	code protocol.Protocol
	// cause is part of what the error has to say.
	cause string
}

// refused checks the code of a breach and asserts how it is refused.
func (b breach) refused(t *testing.T) {
	t.Helper()
	s := scheduler.NewScenario(b.code)
	s.Nodes, s.Updates = 1, 0
	// A search through states without end is no answer either.
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := scheduler.Check(ctx, s, checks.All(0), scheduler.Options{Patience: patience})
	var refusal *scheduler.ProtocolError
	switch {
	case err == nil:
		t.Fatalf("no error, but %d states and %v", r.Stats.States, broken(r))
	case !errors.As(err, &refusal):
		t.Errorf("a %T and no ProtocolError: %v", err, err)
	}
	if place := markedLine(t, b.name); !strings.Contains(err.Error(), place) {
		t.Errorf("the error does not name %s: %v", place, err)
	}
	if !strings.Contains(err.Error(), b.cause) {
		t.Errorf("the error does not say %q: %v", b.cause, err)
	}
	if strings.Contains(err.Error(), "goroutine 1") || strings.Contains(err.Error(), ".go:0") {
		t.Errorf("the error shows a stack: %v", err)
	}
}

// patience is short, so that code that never ends is found soon.
const patience = time.Second

// markedLine returns file:line of the line of the caller's file that ends in
// "here: name".
func markedLine(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob("*_external_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if strings.HasSuffix(line, "// here: "+name) {
				return fmt.Sprintf("%s:%d", file, i+1)
			}
		}
	}
	t.Fatalf("no line is marked with %q", name)
	return ""
}

const causes = "protocol code must depend on nothing but what its Client answers"

var global int

// counting is a protocol that changes itself.
type counting struct{ calls int }

func (p *counting) Handle(c *protocol.Client) protocol.Answer {
	p.calls++
	c.Store.Del(fmt.Sprint("key", p.calls%2)) // here: captured counter
	return protocol.Empty()
}

// Protocol code depends on nothing but what its Client answers.
func TestCodeThatIsNotDeterministicIsRefused(t *testing.T) {
	for _, b := range []breach{
		{"map order", code(func(c *protocol.Client) protocol.Answer {
			keys := map[string]bool{"a": true, "b": true, "c": true, "d": true, "e": true, "f": true, "g": true, "h": true}
			for key := range keys {
				c.Store.Del(key) // here: map order
			}
			return protocol.Empty()
		}), "the order of a map"},
		{"time.Now", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del(time.Now().String()) // here: time.Now
			return protocol.Empty()
		}), "time.Now"},
		{"duration by clock", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del("x")
			c.Sleep(time.Duration(time.Now().UnixNano()%1e9) + 1) // here: duration by clock
			return protocol.Empty()
		}), "time.Now"},
		{"random", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del(fmt.Sprint(rand.Uint64())) // here: random
			return protocol.Empty()
		}), "randomness"},
		{"random branch", code(func(c *protocol.Client) protocol.Answer {
			for range 20 {
				if rand.IntN(2) == 0 {
					c.Store.Del("x")
				}
			}
			c.Store.Del("y") // here: random branch
			return protocol.Empty()
		}), "randomness"},
		{"global", code(func(c *protocol.Client) protocol.Answer {
			global++
			c.Store.Del(fmt.Sprint("key", global%2)) // here: global
			return protocol.Empty()
		}), "a global or captured variable that a run changes"},
		{"captured counter", &counting{}, "a global or captured variable that a run changes"},
		{"random answer", code(func(c *protocol.Client) protocol.Answer {
			// Seldom, so that no two runs agree to the end.
			for range 200 {
				c.Store.Del("x") // here: random answer
				if rand.IntN(1000) == 0 {
					return protocol.Empty()
				}
			}
			return protocol.Failed()
		}), causes},
	} {
		t.Run(b.name, b.refused)
	}
}

// Code that does not come to an operation is not waited for.
func TestCodeThatNeverEndsIsRefused(t *testing.T) {
	var over atomic.Bool
	gate, other := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { over.Store(true); close(gate) })
	var mutex sync.Mutex
	mutex.Lock()
	for _, b := range []breach{
		{"endless loop", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del("x")
			for !over.Load() { // here: endless loop
			}
			return protocol.Empty()
		}), "never ends"},
		{"channel", code(func(c *protocol.Client) protocol.Answer {
			<-gate // here: channel
			return protocol.Empty()
		}), "waits for something outside of its Client"},
		{"select", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del("x")
			select { // here: select
			case <-gate:
			case <-other:
			}
			return protocol.Empty()
		}), "waits for something outside of its Client"},
		{"mutex", code(func(c *protocol.Client) protocol.Answer {
			mutex.Lock() // here: mutex
			defer mutex.Unlock()
			return protocol.Empty()
		}), "waits for something outside of its Client"},
		{"real sleep", code(func(c *protocol.Client) protocol.Answer {
			time.Sleep(3 * patience) // here: real sleep
			c.Store.Del("x")
			return protocol.Empty()
		}), "waits for something outside of its Client"},
		{"standard library", code(func(c *protocol.Client) protocol.Answer {
			for long := strings.Repeat("x", 1<<26); !over.Load(); {
				strings.Count(long, "x") // here: standard library
			}
			return protocol.Empty()
		}), "never ends"},
		{"marks only", code(func(c *protocol.Client) protocol.Answer {
			for {
				c.Acquired("lock") // here: marks only
			}
		}), "never ends"},
		{"tokens only", code(func(c *protocol.Client) protocol.Answer {
			for {
				c.NewToken() // here: tokens only
			}
		}), "never ends"},
		{"checkpoints only", code(func(c *protocol.Client) protocol.Answer {
			for {
				c.Checkpoint() // here: checkpoints only
			}
		}), "never ends"},
		{"operations without checkpoint", code(func(c *protocol.Client) protocol.Answer {
			for {
				c.Sleep(time.Second) // here: operations without checkpoint
			}
		}), "Checkpoint"},
		{"counter in a checkpoint", code(func(c *protocol.Client) protocol.Answer {
			for n := 0; ; n++ {
				c.Checkpoint(n) // here: counter in a checkpoint
				c.Sleep(time.Second)
			}
		}), "Checkpoint"},
		{"again at once", code(func(c *protocol.Client) protocol.Answer {
			return protocol.Again() // here: again at once
		}), "Again before it has done any operation"},
	} {
		t.Run(b.name, b.refused)
	}
	mutex.Unlock()
}

// What is stuck since an earlier check is not blamed for a later one.
func TestTheSecondCheckThatIsStuckNamesItsOwnLine(t *testing.T) {
	gate := make(chan struct{})
	t.Cleanup(func() { close(gate) })
	breach{"first stuck", code(func(c *protocol.Client) protocol.Answer {
		<-gate // here: first stuck
		return protocol.Empty()
	}), "outside of its Client"}.refused(t)
	breach{"second stuck", code(func(c *protocol.Client) protocol.Answer {
		<-gate // here: second stuck
		return protocol.Empty()
	}), "outside of its Client"}.refused(t)
}

// A checkpoint names everything on which the future depends.
func TestAWrongCheckpointIsRefused(t *testing.T) {
	const missing = "a local on which the future depends is missing from the Checkpoint"
	const kind = "cannot be told apart"
	for _, b := range []breach{
		{"differs at the checkpoint", code(func(c *protocol.Client) protocol.Answer {
			for n := 0; ; n++ {
				c.Checkpoint() // here: differs at the checkpoint
				if n%2 == 0 {
					c.Sleep(time.Second)
				} else {
					c.Sleep(2 * time.Second)
				}
			}
		}), missing},
		{"differs after three rounds", code(func(c *protocol.Client) protocol.Answer {
			for n := 0; n < 3; n++ {
				c.Checkpoint() // here: differs after three rounds
				c.Sleep(time.Second)
			}
			return protocol.Empty()
		}), missing},
		{"differs later", code(func(c *protocol.Client) protocol.Answer {
			for n := 1; ; n++ {
				c.Checkpoint()
				c.Sleep(time.Second)
				c.Store.Del("x")
				if n == 2 {
					c.Store.Del("second") // here: differs later
				} else {
					c.Store.Del("other")
				}
			}
		}), missing},
		{"value not named", code(func(c *protocol.Client) protocol.Answer {
			token := c.NewToken()
			for {
				c.Checkpoint()
				c.Sleep(time.Second)
				c.Store.DelIfEqual("x", token) // here: value not named
			}
		}), "a local missing from a Checkpoint"},
		{"slice", code(func(c *protocol.Client) protocol.Answer {
			c.Checkpoint([]int{1}) // here: slice
			return protocol.Empty()
		}), kind},
		{"map", code(func(c *protocol.Client) protocol.Answer {
			c.Checkpoint(map[string]int{}) // here: map
			return protocol.Empty()
		}), kind},
		{"pointer", code(func(c *protocol.Client) protocol.Answer {
			c.Checkpoint(new(int)) // here: pointer
			return protocol.Empty()
		}), kind},
		{"function", code(func(c *protocol.Client) protocol.Answer {
			c.Checkpoint(func() {}) // here: function
			return protocol.Empty()
		}), kind},
		{"client", code(func(c *protocol.Client) protocol.Answer {
			c.Checkpoint(c) // here: client
			return protocol.Empty()
		}), kind},
	} {
		t.Run(b.name, b.refused)
	}
}

// A panic is the author's, and so is its place.
// noMap is a map that nobody made.
var noMap map[string]int

func TestCodeThatPanicsIsRefused(t *testing.T) {
	for _, b := range []breach{
		{"panic", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del("x")
			panic("out of order") // here: panic
		}), "panicked: out of order"},
		{"custom error", code(func(c *protocol.Client) protocol.Answer {
			panic(customError{7}) // here: custom error
		}), "panicked: custom error 7"},
		{"nil map", code(func(c *protocol.Client) protocol.Answer {
			noMap["a"] = 1 // here: nil map
			return protocol.Empty()
		}), "assignment to entry in nil map"},
		{"nil pointer", code(func(c *protocol.Client) protocol.Answer {
			var m *customError
			c.Store.Del(fmt.Sprint(m.code)) // here: nil pointer
			return protocol.Empty()
		}), "nil pointer dereference"},
		{"index", code(func(c *protocol.Client) protocol.Answer {
			var list []string
			c.Store.Del(list[len("abc")]) // here: index
			return protocol.Empty()
		}), "index out of range"},
		{"deferred", code(func(c *protocol.Client) protocol.Answer {
			defer func() {
				panic("too late") // here: deferred
			}()
			c.Store.Del("x")
			return protocol.Empty()
		}), "panicked: too late"},
		{"panic again", code(func(c *protocol.Client) protocol.Answer {
			defer func() {
				if p := recover(); p != nil {
					panic(fmt.Sprint("again: ", p)) // here: panic again
				}
			}()
			panic("first")
		}), "again: first"},
		{"spawned panic", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go(c, func(c *protocol.Client) bool {
				c.Sleep(time.Second)
				panic("in a child") // here: spawned panic
			}).Wait()
			return protocol.Empty()
		}), "panicked: in a child"},
		{"in the standard library", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del(strings.Repeat("x", -len("abc"))) // here: in the standard library
			return protocol.Empty()
		}), "negative Repeat count"},
		{"nil function", code(func(c *protocol.Client) protocol.Answer {
			protocol.Go[bool](c, nil) // here: nil function
			return protocol.Empty()
		}), "nil"},
		{"nil task", code(func(c *protocol.Client) protocol.Answer {
			var task *protocol.Task[bool]
			task.Stop() // here: nil task
			return protocol.Empty()
		}), "nil pointer dereference"},
		{"goexit", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Del("x")
			runtime.Goexit() // here: goexit
			return protocol.Empty()
		}), "Goexit"},
	} {
		t.Run(b.name, b.refused)
	}
}

type customError struct{ code int }

func (e customError) Error() string { return fmt.Sprint("custom error ", e.code) }

// Arguments that make no sense are refused where they are written.
func TestWrongArgumentsAreRefused(t *testing.T) {
	for _, b := range []breach{
		{"zero value in Set", code(func(c *protocol.Client) protocol.Answer {
			v, _, _ := c.Cache.Get("feed")
			c.Cache.Set("feed", v) // here: zero value in Set
			return protocol.Empty()
		}), "zero Value"},
		{"zero value in DelIfEqual", code(func(c *protocol.Client) protocol.Answer {
			c.Store.DelIfEqual("lock", protocol.Token{}) // here: zero value in DelIfEqual
			return protocol.Empty()
		}), "zero Value"},
		{"negative TTL", code(func(c *protocol.Client) protocol.Answer {
			c.Store.SetNX("lock", c.NewToken(), -time.Second) // here: negative TTL
			return protocol.Empty()
		}), "-1s"},
		{"PX(0)", code(func(c *protocol.Client) protocol.Answer {
			c.Store.Set("lock", c.NewToken(), protocol.PX(0)) // here: PX(0)
			return protocol.Empty()
		}), "positive"},
		{"negative PTTL", code(func(c *protocol.Client) protocol.Answer {
			c.Store.PTTL("lock", -time.Second) // here: negative PTTL
			return protocol.Empty()
		}), "negative"},
		{"negative Sleep", code(func(c *protocol.Client) protocol.Answer {
			c.Sleep(-time.Second) // here: negative Sleep
			return protocol.Empty()
		}), "-1s"},
		{"range backwards", code(func(c *protocol.Client) protocol.Answer {
			c.Rebuild(protocol.Range{Min: 2 * time.Second, Max: time.Second}) // here: range backwards
			return protocol.Empty()
		}), "2s"},
		{"Deadline(0)", code(func(c *protocol.Client) protocol.Answer {
			c.Deadline(0) // here: Deadline(0)
			return protocol.Empty()
		}), "positive"},
		{"too long", code(func(c *protocol.Client) protocol.Answer {
			c.Sleep(1)
			c.Sleep(1 << 62) // here: too long
			return protocol.Empty()
		}), ""},
	} {
		t.Run(b.name, b.refused)
	}
}

// What one process, one scenario can hold is limited, and whoever comes to a
// limit learns where.
func TestLimitsAreReportedWithTheirPlace(t *testing.T) {
	for _, b := range []breach{
		{"registers", code(func(c *protocol.Client) protocol.Answer {
			for i := range model.MaxRegisters + 1 {
				c.Store.Del(fmt.Sprint(i % 4))
				c.NewToken() // here: registers
			}
			return protocol.Empty()
		}), "Checkpoint"},
		{"deadlines", code(func(c *protocol.Client) protocol.Answer {
			for range model.MaxRegisters + 1 {
				c.Deadline(time.Second) // here: deadlines
			}
			return protocol.Empty()
		}), "Checkpoint"},
		{"keys", code(func(c *protocol.Client) protocol.Answer {
			for i := range model.MaxKeys + 1 {
				c.Store.Del(fmt.Sprint("key", i)) // here: keys
			}
			return protocol.Empty()
		}), "more than 16 keys"},
		{"processes", code(func(c *protocol.Client) protocol.Answer {
			for {
				c.Checkpoint()
				protocol.Go(c, func(c *protocol.Client) bool { // here: processes
					c.Sleep(time.Hour)
					return true
				})
				c.Sleep(time.Second)
			}
		}), "64 processes"},
	} {
		t.Run(b.name, b.refused)
	}
}
