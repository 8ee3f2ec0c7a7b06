package scheduler

import (
	"context"
	"slices"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/model/zone"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
)

// What the clocks of a state are compared with follows from its discrete part and its outlook
// alone: what is kept for another state is what the rules say of this one.
func TestLimitsFollowFromTheDiscretePart(t *testing.T) {
	other := 0
	for name, injected := range map[string][]model.Fault{
		"lease":    {faults.Pause(1, 12*time.Second), faults.StoreClockBack(1, time.Second)},
		"setnx":    {faults.Restart(1, model.Range{Max: time.Second}), faults.StorePause(1, time.Second)},
		"fixedttl": {faults.Partition(1, time.Second), faults.Failover(1, time.Second)},
		"stacked":  {faults.Starve(1, time.Second), faults.LostReply(1)},
		"nottl":    {faults.ClockDrift(1, 10*time.Millisecond), faults.Crash(1)},
		"fenced":   {faults.Pause(1, time.Second), faults.StaleRead(1, time.Second)},
	} {
		e, ok := catalogue.Find(name)
		if !ok {
			t.Fatalf("no protocol is called %s", name)
		}
		s := NewScenario(e.New())
		s.Latency = protocol.Range{Max: 5 * time.Millisecond}
		s.Faults = injected
		s, err := s.Check()
		if err != nil {
			t.Fatal(err)
		}
		x, err := search(context.Background(), s, s.tick().With(50*time.Millisecond, time.Second), []model.Property{settles{}}, Options{Patience: time.Minute, MaxStates: 200_000}, time.Now())
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		y := newExpander(x, x.rules)
		for i := range uint32(x.states.len()) {
			r := x.states.at(i)
			y.to.Decode(x.table.key(r.key), x.nodes(), x.memory)
			y.to.Left = r.left
			y.mid.Load(int(r.zone.dim), x.zones.get(r.zone))
			y.arrange()
			kept, outlook := x.limits.get(r.key)
			want := limitsOf(make([]zone.Bound, 3*y.after.Dim()))
			y.invariants(want.upper)
			y.constants(y.rules.Outlook(&y.to), want.lower, want.above)
			if !slices.Equal(kept.upper, want.upper) {
				t.Fatalf("%s, state %d: upper bounds %v are kept, and it has %v", name, i, kept.upper, want.upper)
			}
			if outlook != y.rules.Outlook(&y.to) {
				other++
				continue
			}
			if !slices.Equal(kept.lower, want.lower) || !slices.Equal(kept.above, want.above) {
				t.Fatalf("%s, state %d: constants %v %v are kept, and it has %v %v", name, i, kept.lower, kept.above, want.lower, want.above)
			}
		}
	}
	if other == 0 {
		t.Error("no state has another outlook than the first one with its discrete part")
	}
	t.Logf("%d states have another outlook than the first one with their discrete part", other)
}
