package confirm

import (
	"context"
	"fmt"
	"time"

	"lockstep/checks/confirm/command"
	"lockstep/model"
)

// The scripts that services use for the operations that compare, see
// [lockstep/checks/confirm/command].
const (
	DeleteIfEqual = command.DeleteIfEqualScript
	ExpireIfEqual = command.ExpireIfEqualScript
)

// send sends the command of a step and compares the reply.
func (r *runner) send(ctx context.Context, number int, s *model.TraceStep, c command.Command) error {
	key := r.key(c.Key)
	ttl := command.Milliseconds(r.scaled(c.TTL))
	var args []any
	for _, word := range c.Words(key, ttl) {
		args = append(args, word)
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
func (r *runner) observed(c command.Command, reply any) (text string, sure bool) {
	switch v := reply.(type) {
	case nil:
		if c.Name == command.Get {
			return "missing", true
		}
		return "refused", true
	case string:
		if v == "OK" {
			return "ok", true
		}
		return v, true
	case int64:
		switch c.Name {
		case command.Incr:
			return fmt.Sprint(v), true
		case command.PTTL:
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
func (r *runner) left(c command.Command, ms int64) (text string, sure bool) {
	switch ms {
	case -2:
		return "missing", true
	case -1:
		return "no TTL", true
	}
	left, bound := time.Duration(ms)*time.Millisecond, r.scaled(c.TTL)
	if (left - bound).Abs() <= 2*r.server.Slack() {
		return "", false
	}
	if left < bound {
		return "below", true
	}
	return "not below", true
}
