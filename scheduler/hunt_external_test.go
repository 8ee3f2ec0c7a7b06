package scheduler_test

import (
	"context"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/scheduler"
)

func TestScratch(t *testing.T) {
	for _, c := range []struct {
		name string
		p    model.Property
		ch   []func(*scheduler.Scenario)
	}{
		{"fixedttl", checks.MutualExclusion(), nil},
		{"fixedttl", checks.NoForeignRelease(), nil},
		{"fixedttl", checks.NoStaleOverwrite(), nil},
		{"direct", checks.NoStaleOverwrite(), nil},
		{"lease", checks.MutualExclusion(), []func(*scheduler.Scenario){pause(2, 12*time.Second), crash(1)}},
		{"lease", checks.NoStaleOverwrite(), []func(*scheduler.Scenario){pause(2, 12*time.Second), crash(1)}},
		{"nottl", checks.NoOrphanedLock(), []func(*scheduler.Scenario){crash(1)}},
	} {
		for _, st := range []scheduler.Strategy{scheduler.RandomWalk, scheduler.PCT} {
			s := scenario(t, c.name, append(c.ch, nodes(6), requests(3))...)
			start := time.Now()
			r, err := scheduler.Hunt(context.Background(), s, []model.Property{c.p}, scheduler.HuntOptions{Runs: 20000, Seed: 1, Strategy: st})
			if err != nil {
				t.Fatal(err)
			}
			el := time.Since(start)
			if r.Find == nil {
				t.Logf("%s %s %s: nothing, %d runs %d steps %v %+v", c.name, c.p.Name(), st, r.Runs, r.Steps, el, r.PCT)
				continue
			}
			t.Logf("%s %s %s: runs %d steps %d %v found %+v shrunk %+v tries %d min %v %d/%d %s", c.name, c.p.Name(), st, r.Runs, r.Steps, el, r.Find.Found, r.Find.Shrunk, r.Find.Tries, r.Find.Minimal, r.Find.Trace.Faults, r.Find.Trace.Weight, r.Find.Unproven)
		}
	}
}
