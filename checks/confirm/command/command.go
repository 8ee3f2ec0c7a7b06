// Package command says which command of a Redis server an operation of a trace is.
//
// [Of] reads the operation of a step, [Command.Words] writes it as it is sent:
//
//	c, ok := command.Of(&step)
//	words := c.Words("lock:feed", 10_000) // SET lock:feed #1 PX 10000 NX
//
// The package imports nothing of Lockstep but model.
package command

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
)

// The scripts that services use for the operations that compare; the key is KEYS[1], the value
// ARGV[1], a TTL in milliseconds ARGV[2].
const (
	DeleteIfEqualScript = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("DEL", KEYS[1])
return "ok"`
	ExpireIfEqualScript = `local v = redis.call("GET", KEYS[1])
if not v then return "missing" end
if v ~= ARGV[1] then return "not mine" end
redis.call("PEXPIRE", KEYS[1], ARGV[2])
return "ok"`
)

// The operations that are commands.
const (
	Get, Del, PExpire, PTTL, Incr = "Get", "Del", "PExpire", "PTTL", "Incr"
	Set, SetNX, SetXX             = "Set", "SetNX", "SetXX"
	DeleteIfEqual, ExpireIfEqual  = "DelIfEqual", "ExpireIfEqual"
)

// Command is an operation of a trace that a server has a command for.
type Command struct {
	// Name is that of the operation, Key the store and the key, Value what it sets or compares.
	Name, Key, Value string
	// TTL is what it gives, or for PTTL what it compares with; 0 for none.
	TTL     time.Duration
	KeepTTL bool
}

// Of returns the command that a step sends, whatever becomes of it; false if the operation is
// none, or if there is none.
func Of(s *model.TraceStep) (c Command, ok bool) {
	known := []string{Get, Del, PExpire, PTTL, Incr, Set, SetNX, SetXX, DeleteIfEqual, ExpireIfEqual}
	if !slices.Contains(known, s.Operation) || !strings.Contains(s.Key, "/") {
		return c, false
	}
	c = Command{Name: s.Operation, Key: s.Key}
	arguments := s.Arguments
	if slices.Contains([]string{Set, SetNX, SetXX, DeleteIfEqual, ExpireIfEqual}, c.Name) {
		if len(arguments) == 0 {
			return c, false
		}
		c.Value, arguments = arguments[0], arguments[1:]
	}
	for _, a := range arguments {
		if a == "KEEPTTL" {
			c.KeepTTL = true
			continue
		}
		d, err := model.ParseDuration(a)
		if err != nil {
			return c, false
		}
		c.TTL = d
	}
	return c, true
}

// Replied reports whether the process of a step has got a reply: an error is none.
func Replied(s *model.TraceStep) bool {
	for _, nothing := range []string{"error", "timeout", "cancelled", "stopped"} {
		if strings.HasPrefix(s.Observation, nothing) {
			return false
		}
	}
	return true
}

// Words is the command as it is sent, for a key by that name on the server and a TTL in
// milliseconds.
func (c Command) Words(key string, ttl int64) []string {
	ms := strconv.FormatInt(ttl, 10)
	switch c.Name {
	case Get:
		return []string{"GET", key}
	case Del:
		return []string{"DEL", key}
	case Incr:
		return []string{"INCR", key}
	case PTTL:
		return []string{"PTTL", key}
	case PExpire:
		return []string{"PEXPIRE", key, ms}
	case DeleteIfEqual:
		return []string{"EVAL", DeleteIfEqualScript, "1", key, c.Value}
	case ExpireIfEqual:
		return []string{"EVAL", ExpireIfEqualScript, "1", key, c.Value, ms}
	}
	words := []string{"SET", key, c.Value}
	if c.TTL > 0 {
		words = append(words, "PX", ms)
	}
	if c.KeepTTL {
		words = append(words, "KEEPTTL")
	}
	if condition := strings.TrimPrefix(c.Name, Set); condition != "" {
		words = append(words, condition)
	}
	return words
}

// Milliseconds is a TTL as a command gives it. It is rounded up: a TTL is never 0.
func Milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}
