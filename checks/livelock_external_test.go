package checks_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// spins waits for another request of its node by looking again and again: at once, or after
// some time. Whoever holds may forget to say that it is done.
func spins(pause time.Duration, forgets bool) handler {
	return func(c *protocol.Client) protocol.Answer {
		if !c.Memory.SetNX("busy", c.NewToken()) {
			if pause > 0 {
				c.Sleep(pause)
			}
			return protocol.Again()
		}
		c.Compute(protocol.Range{Min: time.Second, Max: 2 * time.Second})
		if !forgets {
			c.Memory.Del("busy")
		}
		return protocol.Empty()
	}
}

// undoes takes two locks in any order and gives back what it has if it does not get both: two
// of them can go on so for ever, and need not.
func undoes(c *protocol.Client) protocol.Answer {
	locks := [...]string{"left", "right"}
	first := c.Choose(2)
	token := c.NewToken()
	if ok, err := c.Store.SetNX(locks[first], token, 0); err != nil || !ok {
		return protocol.Again()
	}
	if ok, err := c.Store.SetNX(locks[1-first], token, 0); err != nil || !ok {
		c.Store.DelIfEqual(locks[first], token)
		return protocol.Again()
	}
	c.Store.DelIfEqual(locks[0], token)
	c.Store.DelIfEqual(locks[1], token)
	return protocol.Empty()
}

// waits does, without a limit, for a message that nobody sends, after it has looked so many
// times with some time in between.
func waits(looks int) handler {
	return func(c *protocol.Client) protocol.Answer {
		done, err := c.Store.Subscribe("done")
		if err != nil {
			return protocol.Empty()
		}
		for range looks {
			if _, ok, err := c.Store.Get("value"); ok || err != nil {
				return protocol.Empty()
			}
			c.Sleep(time.Second)
		}
		done.Wait()
		return protocol.Empty()
	}
}

// A livelock that takes time and that nothing can end is a dead end; where the requests come to
// rest it is a deadlock instead. One that luck can end is
// none, but somebody waits for longer than any bound. One that takes no time is told by how
// often requests start over: time does not pass then, and what others do is never done.
func TestEachLivelockIsTold(t *testing.T) {
	type properties = map[model.Property]scheduler.Result
	const holds, violated = scheduler.Holds, scheduler.Violated
	for name, c := range map[string]struct {
		protocol        protocol.Protocol
		nodes, requests int
		want            properties
	}{
		"in no time": {spins(0, false), 1, 2, properties{
			checks.RestartWindow(checks.MaxWindow, time.Millisecond): violated, checks.RestartWindow(1, time.Hour): violated,
		}},
		"in time, for nobody": {spins(time.Second, true), 1, 2, properties{
			checks.Answered(): violated, checks.NoLivelock(): violated, checks.AnsweredWithin(5 * time.Second): violated,
			checks.RestartWindow(1, time.Second): holds, checks.RestartWindow(1, 1001*time.Millisecond): violated,
			checks.RestartWindow(3, 3*time.Second): holds, checks.RestartWindow(3, 3001*time.Millisecond): violated,
		}},
		"in time, for a while": {spins(time.Second, false), 1, 2, properties{
			checks.Answered(): holds, checks.NoLivelock(): holds, checks.AnsweredWithin(5 * time.Second): holds, checks.RestartWindow(1, time.Second): holds,
		}},
		"at rest": {waits(0), 1, 1, properties{
			checks.Answered(): violated, checks.NoLivelock(): holds,
		}},
		"at rest in the end": {waits(3), 1, 1, properties{
			checks.Answered(): violated, checks.NoLivelock(): holds,
		}},
		"as luck has it": {handler(undoes), 2, 1, properties{
			checks.Answered(): holds, checks.NoLivelock(): holds, checks.AnsweredWithin(40 * time.Millisecond): violated,
		}},
	} {
		s := checks.NewScenario(c.protocol)
		s.Nodes, s.Requests, s.Updates = c.nodes, c.requests, 0
		for p, want := range c.want {
			if v := verdictOf(t, s, p); v.Verdict != want || v.Vacuous != "" {
				t.Errorf("%s: %s: %s %s: %s", name, p.Rule(), v.Verdict, v.Vacuous, explanation(&v))
			}
		}
	}
	s := checks.NewScenario(spins(time.Second, true))
	s.Nodes, s.Requests, s.Updates = 1, 2, 0
	r, err := scheduler.Check(context.Background(), s, []model.Property{checks.NoLivelock(), checks.MutualExclusion(), checks.Answered()}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Verdicts; v[0].Verdict != violated || v[1].Verdict != holds || v[2].Verdict != violated {
		t.Errorf("asked together: %s, %s, %s", v[0].Verdict, v[1].Verdict, v[2].Verdict)
	}
	s.Requests = 1
	if v := verdictOf(t, s, checks.RestartWindow(1, time.Second)); v.Verdict != holds || v.Vacuous == "" {
		t.Errorf("nobody started over: %s", v.Verdict)
	}
}
