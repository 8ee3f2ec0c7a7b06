package checks_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// witnessed takes a lock for some time, again and again, and leaves a witness in the store
// with each acquisition, which is there for as long as it must not be acquired again.
type witnessed struct {
	TTL, Before, Hold protocol.Range
	Witness           time.Duration
	Releases, Again   bool
}

type witness struct {
	Token    protocol.Token
	TTL, For time.Duration
}

// acquireWitnessed takes the lock if it is free, and then says by the key "twice" that the
// witness is still there.
func acquireWitnessed(v *protocol.View, w witness) bool {
	if !v.SetNX("lock", w.Token, w.TTL) {
		return false
	}
	if _, there := v.Get("witness"); there {
		v.Set("twice", w.Token)
	}
	v.Set("witness", w.Token, protocol.PX(w.For))
	return true
}

func (p witnessed) Handle(c *protocol.Client) protocol.Answer {
	if p.Before.Max > 0 {
		c.Compute(p.Before)
	}
	token := c.NewToken()
	got, err := protocol.Atomic(c.Store, witness{token, p.TTL.Max, p.Witness}, acquireWitnessed)
	if err != nil || !got {
		return protocol.Stale()
	}
	c.Acquired("lock")
	c.Compute(p.Hold)
	c.Releasing("lock")
	if p.Releases {
		c.Store.DelIfEqual("lock", token)
	}
	if p.Again {
		if got, err := protocol.Atomic(c.Store, witness{token, p.TTL.Max, p.Witness}, acquireWitnessed); err == nil && got {
			c.Acquired("lock")
			c.Releasing("lock")
		}
	}
	return protocol.Empty()
}

// What a property says of a window is what a witness with a TTL shows that lives in the world
// itself and is gone with the window: one tick earlier, since a TTL that ends at the very
// instant of a step may end before it or after.
func TestAWindowIsWhatAWitnessShows(t *testing.T) {
	twice := checks.Define(checks.Definition{
		Name: "no-witness", Rule: "nobody acquires the lock while a witness is there", Vacuous: "never",
		Check: func(v *checks.View) {
			v.Exercise()
			for _, c := range v.Changes() {
				if c.Key == "twice" && c.Written {
					v.Violate()
				}
			}
		},
	})
	verdicts := map[scheduler.Result]int{}
	rapid.Check(t, func(t *rapid.T) {
		seconds := func(what string, least, most int) time.Duration {
			return time.Duration(rapid.IntRange(least, most).Draw(t, what)) * time.Second
		}
		length := func(what string) protocol.Range {
			least := seconds(what, 0, 3)
			return protocol.Range{Min: least, Max: least + seconds(what+" more", 0, 2)}
		}
		window := seconds("window", 2, 9)
		p := witnessed{
			TTL: protocol.Range{Max: seconds("ttl", 1, 6)}, Before: length("before"), Hold: length("hold"), Witness: window - time.Second,
			Releases: rapid.Bool().Draw(t, "releases"), Again: rapid.Bool().Draw(t, "again"),
		}
		s := checks.NewScenario(p)
		s.Nodes, s.Updates, s.Latency = 2, 0, protocol.Range{Max: seconds("latency", 0, 1)}
		switch rapid.IntRange(0, 2).Draw(t, "fault") {
		case 1:
			s.Faults = []model.Fault{faults.Pause(1, seconds("pause", 1, 4))}
		case 2:
			s.Faults = []model.Fault{faults.LostReply(1)}
		}
		if rapid.Bool().Draw(t, "at the beginning") {
			within := seconds("arrive", 0, 3)
			s.ArriveWithin = &within
		}
		var found [2]scheduler.Verdict
		for i, property := range []model.Property{checks.AtMostOnceWithin(window), twice} {
			r, err := scheduler.Check(context.Background(), s, []model.Property{property}, scheduler.Options{MaxStates: 200_000})
			if err != nil {
				t.Fatal(err)
			}
			if !r.Exhausted {
				t.Skip("too large")
			}
			found[i] = r.Verdicts[0]
		}
		if found[0].Verdict != found[1].Verdict || found[0].Faults != found[1].Faults {
			t.Fatalf("%+v, window %s: the property is %s with %d faults, the witness %s with %d", p, window, found[0].Verdict, found[0].Faults, found[1].Verdict, found[1].Faults)
		}
		verdicts[found[0].Verdict]++
	})
	if len(verdicts) < 2 {
		t.Errorf("only %v", verdicts)
	}
}
