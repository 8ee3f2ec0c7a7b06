package scheduler

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"lockstep/model"
)

// huntBatch is how many runs are taken between two looks at the clock. What is known of
// earlier runs is that of earlier batches, so it decides what is drawn.
const huntBatch = 256

// hunt is a hunt under way.
type hunt struct {
	ctx context.Context
	// given is the scenario as it was given, scenario the same with what properties ask of it.
	given, scenario Scenario
	monitors        []model.Monitor
	options         HuntOptions
	started         time.Time
	longest         time.Duration
	// pace is what earlier batches tell.
	pace pace

	// learner is the one world in which the automaton is learned.
	learner *huntWorld
	plan    huntPlan
	workers []*huntWorker
	results [huntBatch]huntResult

	runs  int
	steps int64
	// exercised has a bit for each property that had something to say in one of them.
	exercised uint32
	pct       PCTGuarantee
	told      time.Time
}

// huntWorker takes runs with what is known of the automaton.
type huntWorker struct {
	world *huntWorld
	plan  huntPlan
}

// huntResult is what became of a run.
type huntResult struct {
	state     resultState
	steps     int
	violated  int
	exercised uint32
	// For a run that bounds count for: how many threads it has met, and how many steps there
	// were before time passed; threads is 0 for others.
	threads, atOnce int
	err             error
}

type resultState uint8

const (
	notRun resultState = iota
	ran
	// unlearned: it has to be taken again, where the automaton can be learned.
	unlearned
)

func (h *hunt) run() (*HuntReport, error) {
	tick := h.scenario.tick()
	for {
		report, err := h.runsWith(tick)
		var finer *finerTick
		if !errors.As(err, &finer) {
			return report, err
		}
		tick = finer.tick
	}
}

// runsWith hunts with a tick.
func (h *hunt) runsWith(tick model.Tick) (*HuntReport, error) {
	var err error
	if h.learner, err = newHuntWorld(h.scenario, h.monitors, tick, h.options.Patience); err != nil {
		return nil, err
	}
	h.runs, h.steps, h.exercised, h.pct = 0, 0, 0, PCTGuarantee{Depth: h.options.Depth}
	h.pace = pace{typical: 32, atOnce: 6 * (h.scenario.roots() + 1)}
	h.workers = nil
	n := h.options.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	for range n {
		h.workers = append(h.workers, &huntWorker{world: h.learner.reader()})
	}
	r := &HuntReport{
		Protocol: h.scenario.Name, Parameters: h.scenario.Parameters(), Bounds: h.scenario.Bounds(),
		Strategy: h.options.Strategy, Seed: h.options.Seed,
	}
	if r.Strategy != RandomWalk {
		r.Depth = h.options.Depth
	}
	for _, m := range h.monitors {
		name := m.Name()
		if a, ok := m.(model.Argued); ok {
			name += "=" + a.Argument()
		}
		r.Properties = append(r.Properties, name)
	}
	found := -1
	for found < 0 && r.Partial == "" && !h.over() {
		if found, err = h.batch(); err != nil {
			return nil, err
		}
		if found < 0 && h.ctx.Err() != nil {
			r.Partial = "it was stopped"
		}
		h.tell(HuntProgress{Phase: "runs"}, false)
	}
	r.Runs, r.Steps = h.runs, h.steps
	for i, m := range h.monitors {
		if found < 0 && h.runs > 0 && h.exercised>>i&1 == 0 {
			r.Vacuous = append(r.Vacuous, VacuousHunt{m.Name(), m.Vacuous()})
		}
	}
	if g := h.pct; g.Runs > 0 {
		g.Bound = PCTBound(g.Threads, g.Steps, g.Depth)
		g.AnyRun = anyRun(g.Bound, g.Runs)
		r.PCT = &g
	}
	if found >= 0 {
		if r.Find, err = h.find(found); err != nil {
			return nil, err
		}
		if h.ctx.Err() != nil {
			r.Partial = "it was stopped"
		}
	}
	return r, h.learner.namer.learner.audit()
}

// over reports whether there are no more runs to take.
func (h *hunt) over() bool {
	o := &h.options
	return o.Runs > 0 && h.runs >= o.Runs || o.MaxTime > 0 && time.Since(h.started) >= o.MaxTime
}

// batch takes the next runs. It returns the number of the first that violates a property, -1 if
// none does.
//
// A run depends on nothing but its number and what is known from earlier batches: whoever takes it
// does not learn, and where the automaton is not known yet the run is taken again in its turn. So
// the automaton is learned in the order of the runs.
func (h *hunt) batch() (int, error) {
	count := huntBatch
	if h.options.Runs > 0 {
		count = min(count, h.options.Runs-h.runs)
	}
	clear(h.results[:count])
	first := h.runs
	if len(h.workers) > 1 {
		h.together(first, count)
	}
	atOnce := h.pace.atOnce
	for i := range count {
		result := &h.results[i]
		if result.state != ran {
			if h.ctx.Err() != nil {
				return -1, nil
			}
			*result = h.learner.take(h, &h.plan, first+i)
			if result.err != nil {
				return -1, result.err
			}
		}
		h.runs++
		h.steps += int64(result.steps)
		h.exercised |= result.exercised
		if result.threads > 0 {
			atOnce = max(atOnce, result.atOnce)
		}
		if result.threads > 0 && result.atOnce <= h.pace.atOnce {
			h.pct.Runs++
			h.pct.Threads, h.pct.Steps = max(h.pct.Threads, result.threads), h.pace.atOnce
		}
		if result.violated >= 0 {
			return first + i, nil
		}
	}
	h.pace = pace{typical: max(1, int(h.steps/int64(h.runs))), atOnce: atOnce}
	return -1, nil
}

// together lets the workers take the runs of a batch.
func (h *hunt) together(first, count int) {
	var next, lowest atomic.Int64
	lowest.Store(int64(count))
	var group sync.WaitGroup
	for _, w := range h.workers {
		group.Go(func() {
			for {
				i := next.Add(1) - 1
				if i >= lowest.Load() || h.ctx.Err() != nil {
					return
				}
				result := w.world.take(h, &w.plan, first+int(i))
				if result.err != nil {
					// Whatever it is, it comes again in its turn.
					result.state = unlearned
				}
				h.results[i] = result
				for result.violated >= 0 {
					// Later ones do not matter any more.
					if at := lowest.Load(); at <= i || lowest.CompareAndSwap(at, i+1) {
						break
					}
				}
			}
		})
	}
	group.Wait()
}

// take takes the run with the number.
func (w *huntWorld) take(h *hunt, p *huntPlan, run int) huntResult {
	result := huntResult{state: ran, violated: -1}
	result.err = w.play(h, p, run, &result, nil)
	result.violated, result.exercised = w.violated, w.exercised
	if p.inOrder {
		result.threads = len(p.ranks)
	}
	return result
}

// remember takes the run with the number again, and returns what is done in it.
func (w *huntWorld) remember(h *hunt, p *huntPlan, run int) ([]huntChoice, error) {
	var done []huntChoice
	err := w.play(h, p, run, &huntResult{}, &done)
	return done, err
}

// play takes the run with the number, up to the first step that violates a property. It counts
// in the result, and notes what is done if that is asked for.
func (w *huntWorld) play(h *hunt, p *huntPlan, run int, result *huntResult, done *[]huntChoice) (err error) {
	defer w.blame(&err)
	w.violated = -1
	if err := w.start(); err != nil {
		return err
	}
	p.draw(h, w, run)
	for result.steps < h.options.MaxSteps && w.now < forever/2 {
		if err := w.look(); err != nil {
			return err
		}
		o, ok := p.choose(w, result.steps+1)
		if !ok {
			break
		}
		w.wait(p.instant(w, o))
		move := w.moves.List[o.move]
		if done != nil {
			d, err := w.deed(&move)
			if err != nil {
				return err
			}
			*done = append(*done, huntChoice{w.now, d, 0, move})
		}
		if err := w.apply(move, p.second); err != nil {
			return err
		}
		if done != nil && w.event.Drift.Drift != model.NoDrift {
			(*done)[len(*done)-1].second = w.drawn
		}
		result.steps++
		if w.now == 0 {
			result.atOnce = result.steps
		}
		if w.violated >= 0 {
			break
		}
	}
	return nil
}
