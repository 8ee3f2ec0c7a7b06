package scheduler

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// looker looks at a key three times.
type looker struct{}

func (looker) Handle(c *protocol.Client) protocol.Answer {
	for range 3 {
		if _, _, err := c.Cache.Get("feed"); err != nil {
			break
		}
	}
	return protocol.Empty()
}

// inTurn is violated if the first looks, as many as the depth, are of n0, n1, n0 and so on.
type inTurn struct{ depth int }

func (inTurn) Name() string                { return "in-turn" }
func (inTurn) Rule() string                { return "nodes do not look in turn" }
func (inTurn) Vacuous() string             { return "nobody looked" }
func (inTurn) Explain(*model.Trace) string { return "they looked in turn" }
func (inTurn) Memory() int                 { return 1 }

// Check counts the looks as long as they are in turn.
func (p inTurn) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	if e.Move.Kind != model.MoveEffect || memory[0] >= byte(p.depth) {
		return 0
	}
	if byte(s.Nodes[e.Node].Label) != memory[0]%2 {
		memory[0] = 0xff
		return 0
	}
	if memory[0]++; memory[0] == byte(p.depth) {
		return model.Exercised | model.Violated
	}
	return model.Exercised
}

func huntOf(t *testing.T, s Scenario, p model.Monitor, o HuntOptions) *hunt {
	t.Helper()
	s, err := s.Check()
	if err != nil {
		t.Fatal(err)
	}
	if err := o.complete(); err != nil {
		t.Fatal(err)
	}
	h := &hunt{ctx: context.Background(), given: s, scenario: s, monitors: []model.Monitor{p}, options: o, longest: s.LongestDuration()}
	if h.learner, err = newHuntWorld(s, h.monitors, s.tick(), o.Patience); err != nil {
		t.Fatal(err)
	}
	return h
}

// That the looks begin with n0, n1, n0, ... takes as many constraints on the order of steps as
// there are looks, of which PCT guarantees 1/(n*k^(d-1)); and here that is how often it is:
// the first node must have the higher priority (1/2), and each change point must be at the one
// step where it lets the other node go on (1/k).
func TestPCTFindsWhatItsBoundPromises(t *testing.T) {
	const k = 10
	for depth := 1; depth <= 3; depth++ {
		s := NewScenario(looker{})
		s.Updates = 0
		h := huntOf(t, s, inTurn{depth}, HuntOptions{Strategy: PCT, Depth: depth, Runs: 1})
		h.pace = pace{typical: 16, atOnce: k}
		const runs = 20_000
		found, threads, steps := 0, 0, 0
		for i := range runs {
			result := h.learner.take(h, &h.plan, i*orderEvery)
			if result.err != nil {
				t.Fatal(result.err)
			}
			if result.violated >= 0 {
				found++
			}
			threads, steps = max(threads, result.threads), max(steps, result.atOnce)
		}
		bound := PCTBound(threads, k, depth)
		if threads != 2 || steps > k {
			t.Fatalf("%d threads and %d steps, want 2 and at most %d", threads, steps, k)
		}
		if rate := float64(found) / runs; rate < 0.8*bound || rate > 1.5*bound {
			t.Errorf("depth %d: found in %.5f of the runs, and the bound is %.5f", depth, rate, bound)
		}
	}
}

// Who has the highest priority goes on, until a change point makes it the lowest.
func TestTheHighestPriorityGoesOnUntilItIsChanged(t *testing.T) {
	s := NewScenario(looker{})
	s.Updates = 0
	h := huntOf(t, s, inTurn{9}, HuntOptions{Strategy: PCT, Depth: 2, Runs: 1})
	h.pace = pace{typical: 16, atOnce: 8}
	for i := range 50 {
		done, err := h.learner.remember(h, &h.plan, i*orderEvery)
		if err != nil {
			t.Fatal(err)
		}
		change := h.plan.changes[0]
		if len(done) != 8 {
			t.Fatalf("%d steps, want 8: each of two requests arrives and looks three times", len(done))
		}
		first := done[0].who.node
		for n := range done {
			// A request of four steps is changed at most once.
			want := first
			if change < 4 && n >= change && n < change+4 || change >= 4 && n >= 4 {
				want = 1 - first
			}
			if done[n].who.node != want {
				t.Errorf("run %d, which changes at step %d: step %d is of node %d, want %d", i, change, n+1, done[n].who.node, want)
			}
			if done[n].at != 0 {
				t.Errorf("run %d: time has passed at step %d", i, n+1)
			}
		}
	}
}

// What ddmin returns passes the test, and without any one of its items does not.
func TestShrinkingLeavesOutEverythingThatCanBe(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		items := make([]int, 1+random.IntN(40))
		var needed []int
		for i := range items {
			items[i] = i
			if random.IntN(8) == 0 {
				needed = append(needed, i)
			}
		}
		tries := 0
		got := ddmin(items, func(kept []int) bool {
			tries++
			for _, n := range needed {
				if !slices.Contains(kept, n) {
					return false
				}
			}
			return true
		})
		if !slices.Equal(got, needed) {
			t.Fatalf("%d items of which %v are needed: got %v", len(items), needed, got)
		}
		if limit := 2 + len(items)*(len(items)+3); tries > limit {
			t.Fatalf("%d items: %d tries, more than %d", len(items), tries, limit)
		}
	}
}

// arrives is the choice by which a request arrives.
func arrives(node uint8, request uint16) huntChoice {
	return huntChoice{huntDeed: huntDeed{kind: model.MoveArrive, who: huntName{of: aProcess, node: node, request: request}}}
}

// A run is taken to a scenario that has only who takes part in it, under other numbers.
func TestAProjectionKeepsWhoTakesPart(t *testing.T) {
	s := NewScenario(looker{})
	s.Nodes, s.Requests, s.Updates = 6, 3, 2
	run := []huntChoice{arrives(5, 2), arrives(2, 1), arrives(2, 0)}
	update := arrives(1, 0)
	update.who.class, update.who.role = model.Updater, model.Update
	run = append(run, update)
	fault := huntChoice{huntDeed: huntDeed{kind: model.MoveFault, who: huntName{of: aNode, node: 5}, fault: "pause"}}
	strange := huntChoice{huntDeed: huntDeed{kind: model.MoveFault, who: huntName{of: aNode, node: 0}, fault: "pause"}}
	run = append(run, fault, strange)

	p := castOf(run).project(s, false)
	if p.scenario.Nodes != 2 || p.scenario.Requests != 2 || p.scenario.Updates != 1 {
		t.Errorf("%d nodes, %d requests, %d updates; want 2, 2, 1", p.scenario.Nodes, p.scenario.Requests, p.scenario.Updates)
	}
	got := p.choices(run)
	want := []huntName{arrives(1, 0).who, arrives(0, 1).who, arrives(0, 0).who, {of: aProcess, class: model.Updater, role: model.Update}, {of: aNode, node: 1}}
	if len(got) != len(want) {
		t.Fatalf("%d choices are left, want %d: what strikes nobody is left out", len(got), len(want))
	}
	for i := range want {
		if got[i].who != want[i] {
			t.Errorf("choice %d is of %+v, want %+v", i, got[i].who, want[i])
		}
	}

	p = castOf(run).project(s, true)
	if p.scenario.Nodes != 3 || p.scenario.Requests != 1 {
		t.Errorf("apart: %d nodes, %d requests; want 3 and 1", p.scenario.Nodes, p.scenario.Requests)
	}
}

// A run made by hand, of three nodes, is shrunk to what the property needs of it.
func TestARunMadeByHandIsShrunk(t *testing.T) {
	s := NewScenario(looker{})
	s.Nodes, s.Requests, s.Updates = 3, 2, 0
	h := huntOf(t, s, inTurn{2}, HuntOptions{Runs: 1})
	look := func(node uint8, request uint16, at time.Duration) huntChoice {
		c := arrives(node, request)
		c.kind, c.operation, c.at = model.MoveEffect, model.Get, at
		return c
	}
	run := []huntChoice{
		arrives(2, 0), arrives(0, 0), look(0, 0, 0), arrives(1, 1), look(1, 1, time.Millisecond),
	}
	k := &shrinker{hunt: h, property: inTurn{2}, scenario: h.scenario, run: run, tick: h.learner.tick, worlds: map[string]*huntWorld{}}
	if !k.try(k.scenario, run, nil) {
		t.Fatal("the run does not violate the property")
	}
	if err := k.shrink(); err != nil {
		t.Fatal(err)
	}
	if k.scenario.Nodes != 2 || k.scenario.Requests != 1 || costOf(k.run) != (huntCost{0, 2}) {
		t.Errorf("%d nodes, %d requests, %+v; want 2, 1 and 2 steps", k.scenario.Nodes, k.scenario.Requests, costOf(k.run))
	}
	for i, c := range k.run {
		if i > 0 && c.at < k.run[i-1].at {
			t.Errorf("step %d is before the one before it", i+1)
		}
	}
}
