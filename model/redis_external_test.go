package model_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"pgregory.net/rapid"

	"lockstep/model"
)

// The scripts that services use for the two operations that compare.
const (
	deleteIfEqual = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("DEL", KEYS[1])
return "ok"`
	expireIfEqual = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return "ok"`
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

// Every store operation has the effect and the reply that a Redis server has. A
// tick is a millisecond.
func TestOperationsDoWhatARedisServerDoes(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr()})
	t.Cleanup(func() { client.Close() })
	ctx := context.Background()
	const key = "key"

	ask := func(op model.Operation, value string) string {
		ttl := time.Duration(op.TTL) * time.Millisecond
		bool := func(done bool, err error, no string) string {
			switch {
			case err == redis.Nil:
				return no
			case err != nil:
				return err.Error()
			case done:
				return "ok"
			}
			return no
		}
		switch op.Kind {
		case model.Get:
			v, err := client.Get(ctx, key).Result()
			if err == redis.Nil {
				return "missing"
			}
			return v
		case model.Set:
			args := []any{"SET", key, value}
			if op.TTL > 0 {
				args = append(args, "PX", int64(op.TTL))
			}
			if op.Mode&model.KeepTTL != 0 {
				args = append(args, "KEEPTTL")
			}
			if op.Mode&model.IfAbsent != 0 {
				args = append(args, "NX")
			}
			if op.Mode&model.IfPresent != 0 {
				args = append(args, "XX")
			}
			err := client.Do(ctx, args...).Err()
			return bool(true, err, "refused")
		case model.Delete:
			n, err := client.Del(ctx, key).Result()
			return bool(n == 1, err, "missing")
		case model.PExpire:
			done, err := client.PExpire(ctx, key, ttl).Result()
			return bool(done, err, "missing")
		case model.PTTL:
			left, err := client.PTTL(ctx, key).Result()
			switch {
			case err != nil:
				return err.Error()
			case left == -2:
				return "missing"
			case left == -1:
				return "no TTL"
			case left < ttl:
				return "below"
			}
			return "not below"
		case model.Increment:
			n, err := client.Incr(ctx, key).Result()
			if err != nil {
				return "refused"
			}
			return fmt.Sprint(n)
		case model.DeleteIfEqual:
			return client.Eval(ctx, deleteIfEqual, []string{key}, value).Val().(string)
		default:
			return client.Eval(ctx, expireIfEqual, []string{key}, value, int64(op.TTL)).Val().(string)
		}
	}

	rapid.Check(t, func(t *rapid.T) {
		client.Del(ctx, key)
		s := &store{}
		for range rapid.IntRange(1, 25).Draw(t, "commands") {
			if d := rapid.SampledFrom([]int{0, 0, 1, 3, 7}).Draw(t, "time passes"); d > 0 {
				server.FastForward(time.Duration(d) * time.Millisecond)
				s.pass(model.Ticks(d))
			}
			op := model.Operation{Kind: rapid.SampledFrom([]model.OperationKind{
				model.Get, model.Set, model.Set, model.Set, model.Delete, model.PExpire, model.PTTL, model.Increment, model.DeleteIfEqual, model.ExpireIfEqual,
			}).Draw(t, "operation")}
			arg := model.Version(uint8(rapid.IntRange(1, 2).Draw(t, "value")))
			switch op.Kind {
			case model.Set:
				op.Mode = rapid.SampledFrom([]model.SetMode{0, model.IfAbsent, model.IfPresent, model.KeepTTL}).Draw(t, "mode")
				if op.Mode != model.KeepTTL {
					op.TTL = model.Ticks(rapid.IntRange(0, 6).Draw(t, "ttl"))
				}
			case model.PExpire, model.ExpireIfEqual, model.PTTL:
				op.TTL = model.Ticks(rapid.IntRange(0, 6).Draw(t, "ttl"))
			}
			got, want := s.do(op, arg), ask(op, name(arg))
			if got != want {
				t.Fatalf("%s %+v: the model says %q, the server %q", op.Kind, op, got, want)
			}
		}
	})
}
