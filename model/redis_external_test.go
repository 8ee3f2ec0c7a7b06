package model_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"lockstep/checks/confirm"
	"lockstep/checks/confirm/redisserver"
	"lockstep/model"
)

// store is the model's side: one entry and how long its TTL has been running.
type store struct {
	entry   model.Entry
	elapsed model.Ticks
}

func (s *store) do(op model.Operation, arg model.Datum) string {
	after, code := op.Effect(s.entry, arg)
	if after.Clock == model.Fresh {
		after.Clock, s.elapsed = 1, 0
	}
	s.entry = after
	if code == model.Below && after.TTL-s.elapsed >= op.TTL {
		code = model.NotBelow
	}
	if code == model.Found {
		return name(after.Value)
	}
	return code.String()
}

func (s *store) pass(d model.Ticks) {
	s.elapsed += d
	if s.entry.TTL > 0 && s.elapsed >= s.entry.TTL {
		s.entry = model.Entry{}
	}
}

func name(d model.Datum) string {
	if d.Kind == model.KindCounter {
		return fmt.Sprint(d.N)
	}
	return fmt.Sprintf("value-%d", d.N)
}

// server is the other side: a client, how long a tick is, and how time passes. What is left of
// a TTL is less than the model says, by less than late.
type server struct {
	client     *redis.Client
	key        string
	tick, late time.Duration
	pass       func(time.Duration)
}

func (s *server) milliseconds(t model.Ticks) int64 {
	return int64(time.Duration(t) * s.tick / time.Millisecond)
}

// ask asks the server to do an operation.
func (s *server) ask(op model.Operation, value string) string {
	ctx := context.Background()
	do := func(args ...any) (any, string) {
		v, err := s.client.Do(ctx, args...).Result()
		switch {
		case err == redis.Nil:
			return nil, ""
		case err != nil:
			return nil, err.Error()
		}
		return v, ""
	}
	chosen := func(reply any, failure, no string) string {
		if failure != "" {
			return failure
		}
		if reply == nil || reply == int64(0) {
			return no
		}
		return "ok"
	}
	switch op.Kind {
	case model.Get:
		v, failure := do("GET", s.key)
		if v == nil {
			return chosen(v, failure, "missing")
		}
		return v.(string)
	case model.Set:
		args := []any{"SET", s.key, value}
		if op.TTL > 0 {
			args = append(args, "PX", s.milliseconds(op.TTL))
		}
		for mode, word := range map[model.SetMode]string{model.KeepTTL: "KEEPTTL", model.IfAbsent: "NX", model.IfPresent: "XX"} {
			if op.Mode&mode != 0 {
				args = append(args, word)
			}
		}
		v, failure := do(args...)
		return chosen(v, failure, "refused")
	case model.Delete:
		v, failure := do("DEL", s.key)
		return chosen(v, failure, "missing")
	case model.PExpire:
		v, failure := do("PEXPIRE", s.key, s.milliseconds(op.TTL))
		return chosen(v, failure, "missing")
	case model.PTTL:
		v, failure := do("PTTL", s.key)
		left, _ := v.(int64)
		switch {
		case failure != "":
			return failure
		case left == -2:
			return "missing"
		case left == -1:
			return "no TTL"
		case time.Duration(left)*time.Millisecond+s.late < time.Duration(op.TTL)*s.tick:
			return "below"
		}
		return "not below"
	case model.Increment:
		v, failure := do("INCR", s.key)
		if failure != "" {
			return "refused"
		}
		return fmt.Sprint(v)
	case model.DeleteIfEqual:
		v, failure := do("EVAL", confirm.DeleteIfEqual, 1, s.key, value)
		return fmt.Sprint(v) + failure
	default:
		v, failure := do("EVAL", confirm.ExpireIfEqual, 1, s.key, value, s.milliseconds(op.TTL))
		return fmt.Sprint(v) + failure
	}
}

// command is an operation after some time.
type command struct {
	wait model.Ticks
	op   model.Operation
	arg  model.Datum
}

// sequences draws commands for one key.
var sequences = rapid.Custom(func(t *rapid.T) []command {
	var all []command
	for range rapid.IntRange(1, 25).Draw(t, "commands") {
		c := command{wait: rapid.SampledFrom([]model.Ticks{0, 0, 1, 3, 7}).Draw(t, "time passes")}
		c.op.Kind = rapid.SampledFrom([]model.OperationKind{
			model.Get, model.Set, model.Set, model.Set, model.Delete, model.PExpire, model.PTTL, model.Increment, model.DeleteIfEqual, model.ExpireIfEqual,
		}).Draw(t, "operation")
		c.arg = model.Version(uint8(rapid.IntRange(1, 2).Draw(t, "value")))
		switch c.op.Kind {
		case model.Set:
			c.op.Mode = rapid.SampledFrom([]model.SetMode{0, model.IfAbsent, model.IfPresent, model.KeepTTL}).Draw(t, "mode")
			if c.op.Mode != model.KeepTTL {
				c.op.TTL = model.Ticks(rapid.IntRange(0, 6).Draw(t, "ttl"))
			}
		case model.PExpire, model.ExpireIfEqual, model.PTTL:
			c.op.TTL = model.Ticks(rapid.IntRange(0, 6).Draw(t, "ttl"))
		}
		all = append(all, c)
	}
	return all
})

// errLate says that the machine was too busy for what was measured to count.
var errLate = errors.New("too late")

// agree does the same on both sides and compares the replies.
func (s *server) agree(commands []command) error {
	s.client.Del(context.Background(), s.key)
	m, began, passed := &store{}, time.Now(), time.Duration(0)
	for _, c := range commands {
		if c.wait > 0 {
			s.pass(time.Duration(c.wait) * s.tick)
			m.pass(c.wait)
			passed += time.Duration(c.wait) * s.tick
		}
		got, want := m.do(c.op, c.arg), s.ask(c.op, name(c.arg))
		if s.late > 0 && time.Since(began)-passed > s.late {
			return errLate
		}
		if got != want {
			return fmt.Errorf("%s %+v: the model says %q, the server %q", c.op.Kind, c.op, got, want)
		}
	}
	return nil
}

// Every store operation has the effect and the reply that it has on miniredis.
func TestOperationsDoWhatMiniredisDoes(t *testing.T) {
	mini := miniredis.RunT(t)
	s := &server{client: redis.NewClient(&redis.Options{Addr: mini.Addr()}), key: "key", tick: time.Millisecond, pass: mini.FastForward}
	t.Cleanup(func() { s.client.Close() })
	rapid.Check(t, func(t *rapid.T) {
		if err := s.agree(sequences.Draw(t, "sequence")); err != nil {
			t.Fatal(err)
		}
	})
}

// The same in real time on a Redis server: fewer sequences, side by side. One in which the
// machine did not keep up is tried again, and says nothing in the end.
func TestOperationsDoWhatARedisServerDoes(t *testing.T) {
	client := redis.NewClient(&redis.Options{Addr: redisserver.Start(t), PoolSize: 200})
	t.Cleanup(func() { client.Close() })
	const tick, many = 100 * time.Millisecond, 100
	var group sync.WaitGroup
	var late atomic.Int64
	for seed := range many {
		group.Go(func() {
			s := &server{client: client, key: fmt.Sprint("key", seed), tick: tick, late: tick / 2, pass: func(d time.Duration) { time.Sleep(d + 2*time.Millisecond) }}
			err := errLate
			for try := 0; try < 3 && errors.Is(err, errLate); try++ {
				err = s.agree(sequences.Example(seed))
			}
			if errors.Is(err, errLate) {
				late.Add(1)
			} else if err != nil {
				t.Errorf("sequence %d: %v", seed, err)
			}
		})
	}
	group.Wait()
	t.Logf("%d of %d sequences were not in time", late.Load(), many)
	if late.Load() > many/2 {
		t.Errorf("%d of %d sequences were not in time", late.Load(), many)
	}
}
