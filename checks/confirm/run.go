package confirm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lockstep/checks/confirm/command"
	"lockstep/model"
)

// Options say how a trace is executed.
type Options struct {
	// Prefix stands before each key. Without one the server must be empty, so that nothing
	// of anybody else's is touched.
	Prefix string
	// Scale multiplies all times and TTLs; 1 if it is 0. It is more than 0 and at most 1.
	Scale float64
}

// Result is what became of a trace on a server.
type Result struct {
	// Compared is how many replies were compared with what the trace has observed, Carried
	// how many steps were carried over, since no command does what they do, and Passed how
	// many reads of a replica that lags could not be asked.
	Compared int `json:"compared"`
	Carried  int `json:"carried_over"`
	Passed   int `json:"passed_over"`
	// Difference is the first one, nil if there is none.
	Difference *Difference `json:"difference,omitempty"`
}

// Difference is where the server does not do what the trace says.
type Difference struct {
	// Step is its number in the trace, from 1, Text the step in words.
	Step int    `json:"step"`
	Text string `json:"text"`
	// Of says of what: the reply, or a key. Want is what the trace says, Got the server.
	Of   string `json:"of"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// ErrNotEmpty is the error for a server that has keys, if no prefix is given.
var ErrNotEmpty = errors.New("the server is not empty: use another one, or give the keys a prefix of their own")

// Run executes a trace on a server. It removes the keys that it has set when it is done. An
// error is one of the server.
func Run(ctx context.Context, s Server, t *model.Trace, o Options) (_ *Result, err error) {
	if o.Scale == 0 {
		o.Scale = 1
	}
	r := &runner{server: s, options: o, result: &Result{}, expiries: map[string]time.Duration{}, touched: map[string]bool{}}
	if o.Prefix == "" {
		size, err := s.Do(ctx, "DBSIZE")
		if err != nil {
			return nil, err
		}
		if size != int64(0) {
			return nil, ErrNotEmpty
		}
	}
	defer func() { err = errors.Join(err, r.clean(context.WithoutCancel(ctx))) }()
	for i := range t.Steps {
		if err := r.step(ctx, i+1, &t.Steps[i]); err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		if r.result.Difference != nil {
			break
		}
	}
	return r.result, nil
}

// runner executes a trace.
type runner struct {
	server  Server
	options Options
	result  *Result
	// now is the time that has passed on the server, in the time of the trace.
	now time.Duration
	// expiries are when the TTLs of keys are over on the server, by key of the trace.
	expiries map[string]time.Duration
	touched  map[string]bool
	// lags: a replica does, and reads may come from it.
	lags bool
}

// key is the name that a key of the trace has on the server.
func (r *runner) key(of string) string {
	r.touched[of] = true
	return r.options.Prefix + of
}

func (r *runner) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) * r.options.Scale)
}

// slack is that of the server, in the time of the trace.
func (r *runner) slack() time.Duration {
	return time.Duration(float64(r.server.Slack()) / r.options.Scale)
}

func (r *runner) step(ctx context.Context, number int, s *model.TraceStep) error {
	if s.Fault == "stale-read" {
		r.lags = s.Kind == "fault"
	}
	if s.Kind == "expire" {
		return r.expire(ctx, number, s)
	}
	if err := r.until(ctx, s.Time); err != nil {
		return err
	}
	c, ok := command.Of(s)
	ok = ok && command.Replied(s)
	switch {
	case ok && s.Kind == "effect" && r.lags && (c.Name == command.Get || c.Name == command.PTTL):
		r.result.Passed++
	case ok && s.Kind == "effect":
		if err := r.send(ctx, number, s, c); err != nil || r.result.Difference != nil {
			return err
		}
	case len(s.Changes) > 0:
		r.result.Carried++
		for i := range s.Changes {
			if err := r.carry(ctx, &s.Changes[i]); err != nil {
				return err
			}
		}
	}
	return r.compare(ctx, number, s)
}

// until lets time pass to that of a step, but not so far that an entry is gone before the
// trace says so: at the very instant of its expiry anything may come first.
func (r *runner) until(ctx context.Context, at time.Duration) error {
	for _, expiry := range r.expiries {
		at = min(at, expiry-r.slack())
	}
	return r.pass(ctx, at)
}

func (r *runner) pass(ctx context.Context, at time.Duration) error {
	if at <= r.now {
		return nil
	}
	d := r.scaled(at - r.now)
	r.now = at
	return r.server.Pass(ctx, d)
}

// expire lets time pass until an entry is gone. Where the clock of the store of the trace was
// wrong its TTL may be over earlier than on the server: it is taken away then.
func (r *runner) expire(ctx context.Context, number int, s *model.TraceStep) error {
	expiry, ok := r.expiries[s.Key]
	delete(r.expiries, s.Key)
	if !ok || expiry > s.Time+4*r.slack() {
		r.result.Carried++
		_, err := r.server.Do(ctx, "DEL", r.key(s.Key))
		return err
	}
	for _, other := range r.expiries {
		if other-r.slack() < expiry+r.slack() && other >= expiry {
			// Another one is over at the same instant, and still there in the trace.
			r.result.Carried++
			_, err := r.server.Do(ctx, "DEL", r.key(s.Key))
			return err
		}
	}
	if err := r.pass(ctx, max(s.Time, expiry)+r.slack()); err != nil {
		return err
	}
	r.result.Compared++
	return r.compare(ctx, number, s)
}

// carry sets a key to what it is after a change.
func (r *runner) carry(ctx context.Context, c *model.TraceChange) error {
	key := r.key(c.Key)
	if c.After == "" {
		_, err := r.server.Do(ctx, "DEL", key)
		return err
	}
	args := []any{"SET", key, c.After}
	if c.AfterTTL > 0 {
		args = append(args, "PX", command.Milliseconds(r.scaled(c.AfterTTL)))
	}
	_, err := r.server.Do(ctx, args...)
	return err
}

// compare compares the keys that a step has changed, and notes their expiries.
func (r *runner) compare(ctx context.Context, number int, s *model.TraceStep) error {
	for i := range s.Changes {
		c := &s.Changes[i]
		delete(r.expiries, c.Key)
		value, err := r.server.Do(ctx, "GET", r.key(c.Key))
		if err != nil {
			return err
		}
		got, _ := value.(string)
		if got != c.After {
			r.differs(number, s, c.Key, orAbsent(c.After), orAbsent(got))
			return nil
		}
		if c.After == "" {
			continue
		}
		left, err := r.server.Do(ctx, "PTTL", r.key(c.Key))
		if err != nil {
			return err
		}
		ms, _ := left.(int64)
		ttl := time.Duration(ms) * time.Millisecond
		if c.AfterTTL == 0 {
			if ms != -1 {
				r.differs(number, s, c.Key, "no TTL", model.FormatDuration(ttl))
			}
			continue
		}
		if want := r.scaled(c.AfterTTL); ttl > want+time.Millisecond || ttl < want-3*r.server.Slack()-time.Millisecond {
			r.differs(number, s, c.Key, "a TTL of "+model.FormatDuration(want), model.FormatDuration(ttl))
			continue
		}
		r.expiries[c.Key] = r.now + c.AfterTTL
	}
	return nil
}

func (r *runner) differs(number int, s *model.TraceStep, of, want, got string) {
	if r.result.Difference == nil {
		r.result.Difference = &Difference{Step: number, Text: s.Text, Of: of, Want: want, Got: got}
	}
}

// clean removes the keys that were set.
func (r *runner) clean(ctx context.Context) error {
	var keys []string
	for key := range r.touched {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if _, err := r.server.Do(ctx, "DEL", r.options.Prefix+key); err != nil {
			return err
		}
	}
	return nil
}

func orAbsent(value string) string {
	if value == "" {
		return "nothing"
	}
	return value
}
