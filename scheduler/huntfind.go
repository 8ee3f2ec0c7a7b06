package scheduler

import (
	"fmt"
	"time"
)

// find shrinks the run with the number, which violates a property, searches what it was shrunk
// to, and returns what is to be reported.
func (h *hunt) find(run int) (*Find, error) {
	w := h.learner
	// Once more, so that it can be told.
	result := w.take(h, &h.plan, run)
	if result.err != nil {
		return nil, result.err
	}
	if result.violated < 0 {
		return nil, fmt.Errorf("scheduler: run %d does not violate a property again", run+1)
	}
	p := h.monitors[result.violated]
	done, err := w.remember(h, &h.plan, run)
	if err != nil {
		return nil, err
	}
	f := &Find{Property: p.Name(), Rule: p.Rule(), Run: run + 1, Strategy: RandomWalk, Found: sizeOf(h.scenario, done)}
	if h.plan.pct {
		f.Strategy = PCT
	}
	k := &shrinker{hunt: h, property: p, scenario: h.scenario, run: done, tick: w.tick, worlds: map[string]*huntWorld{}}
	// The property alone must do.
	if !k.try(k.scenario, done, nil) {
		switch {
		case k.err != nil:
			return nil, k.err
		case h.ctx.Err() == nil:
			return nil, fmt.Errorf("scheduler: run %d does not violate %s when it is run again", run+1, p.Name())
		}
	} else if err := k.shrink(); err != nil {
		return nil, err
	}
	f.Tries, f.Shrunk = k.tries, sizeOf(k.scenario, k.run)
	f.Least = f.Shrunk
	if err := f.describe(k); err != nil {
		return nil, err
	}
	return f, h.prove(f, p)
}

// describe replays what the find was shrunk to: what does not replay is an error of ours and
// never a find.
func (f *Find) describe(k *shrinker) error {
	w, done, err := k.execute(k.scenario, k.run)
	if err != nil {
		return err
	}
	if f.Trace, err = w.narrate(done, k.property); err != nil {
		return err
	}
	f.Scenario, f.Bounds = k.scenario, k.scenario.Bounds()
	if err := Replay(k.scenario, f.Trace, k.property); err != nil {
		return fmt.Errorf("scheduler: what was found does not replay: %w", err)
	}
	return nil
}

// tell tells of progress, not too often.
func (h *hunt) tell(p HuntProgress, always bool) {
	if h.options.Progress == nil || !always && time.Since(h.told) < 50*time.Millisecond {
		return
	}
	h.told = time.Now()
	p.Runs, p.Limit, p.Steps, p.Elapsed, p.Left = h.runs, h.options.Runs, h.steps, time.Since(h.started), -1
	if p.Phase == "runs" {
		if h.options.Runs > 0 && h.runs > 0 {
			p.Left = time.Duration(float64(p.Elapsed) / float64(h.runs) * float64(h.options.Runs-h.runs))
		}
		if rest := h.options.MaxTime - p.Elapsed; h.options.MaxTime > 0 && (p.Left < 0 || rest < p.Left) {
			p.Left = max(rest, 0)
		}
	}
	h.options.Progress(p)
}

func sizeOf(s Scenario, run []huntChoice) Size {
	c := costOf(run)
	nodes := s.Nodes
	for _, o := range s.Others {
		nodes += o.Nodes
	}
	return Size{Nodes: nodes, Requests: s.Requests, Updates: s.Updates, Faults: c.faults, Steps: c.steps}
}
