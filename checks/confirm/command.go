package confirm

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// The scripts that services use for the operations that compare; the key is KEYS[1], the value
// ARGV[1], a TTL in milliseconds ARGV[2].
const (
	DeleteIfEqual = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("DEL", KEYS[1])
return "ok"`
	ExpireIfEqual = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return "ok"`
)

// The operations that are commands.
const (
	get, del, pexpire, pttl, incr = "Get", "Del", "PExpire", "PTTL", "Incr"
	set, setNX, setXX             = "Set", "SetNX", "SetXX"
	delIfEqual, exIfEqual         = "DelIfEqual", "ExpireIfEqual"
)

// command is an operation of a trace that a server has a command for.
type command struct {
	name, key, value string
	ttl              time.Duration
	keepTTL          bool
}

// commandOf returns the command of a step, false if it is none, or did not come to a reply.
func commandOf(s *model.TraceStep) (c command, ok bool) {
	known := []string{get, del, pexpire, pttl, incr, set, setNX, setXX, delIfEqual, exIfEqual}
	if !slices.Contains(known, s.Operation) || !strings.Contains(s.Key, "/") {
		return c, false
	}
	for _, nothing := range []string{"error", "timeout", "cancelled", "stopped"} {
		if strings.HasPrefix(s.Observation, nothing) {
			return c, false
		}
	}
	c = command{name: s.Operation, key: s.Key}
	arguments := s.Arguments
	if slices.Contains([]string{set, setNX, setXX, delIfEqual, exIfEqual}, c.name) {
		if len(arguments) == 0 {
			return c, false
		}
		c.value, arguments = arguments[0], arguments[1:]
	}
	for _, a := range arguments {
		if a == "KEEPTTL" {
			c.keepTTL = true
			continue
		}
		d, err := model.ParseDuration(a)
		if err != nil {
			return c, false
		}
		c.ttl = d
	}
	return c, true
}

// send sends the command of a step and compares the reply.
func (r *runner) send(ctx context.Context, number int, s *model.TraceStep, c command) error {
	key := r.key(c.key)
	ttl := milliseconds(r.scaled(c.ttl))
	var args []any
	switch c.name {
	case get:
		args = []any{"GET", key}
	case del:
		args = []any{"DEL", key}
	case incr:
		args = []any{"INCR", key}
	case pttl:
		args = []any{"PTTL", key}
	case pexpire:
		args = []any{"PEXPIRE", key, ttl}
	case delIfEqual:
		args = []any{"EVAL", DeleteIfEqual, 1, key, c.value}
	case exIfEqual:
		args = []any{"EVAL", ExpireIfEqual, 1, key, c.value, ttl}
	default:
		args = []any{"SET", key, c.value}
		if c.ttl > 0 {
			args = append(args, "PX", ttl)
		}
		if c.keepTTL {
			args = append(args, "KEEPTTL")
		}
		if condition := strings.TrimPrefix(c.name, set); condition != "" {
			args = append(args, condition)
		}
	}
	reply, err := r.server.Do(ctx, args...)
	if err != nil {
		return err
	}
	got, sure := r.observed(c, reply)
	if !sure {
		r.result.Passed++
		return nil
	}
	r.result.Compared++
	if got != s.Observation {
		r.differs(number, s, "the reply", s.Observation, got)
	}
	return nil
}

// observed is a reply in the words of a trace. It is not sure where it depends on a millisecond.
func (r *runner) observed(c command, reply any) (text string, sure bool) {
	switch v := reply.(type) {
	case nil:
		if c.name == get {
			return "missing", true
		}
		return "refused", true
	case string:
		if v == "OK" {
			return "ok", true
		}
		return v, true
	case int64:
		switch c.name {
		case incr:
			return fmt.Sprint(v), true
		case pttl:
			return r.left(c, v)
		}
		if v == 0 {
			return "missing", true
		}
		return "ok", true
	}
	return fmt.Sprintf("%v", reply), true
}

// left is what is observed of what is left of a TTL, in milliseconds.
func (r *runner) left(c command, ms int64) (text string, sure bool) {
	switch ms {
	case -2:
		return "missing", true
	case -1:
		return "no TTL", true
	}
	left, bound := time.Duration(ms)*time.Millisecond, r.scaled(c.ttl)
	if (left - bound).Abs() <= 2*r.server.Slack() {
		return "", false
	}
	if left < bound {
		return "below", true
	}
	return "not below", true
}
