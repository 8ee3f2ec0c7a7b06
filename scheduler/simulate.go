package scheduler

import (
	"context"
	"errors"
	"runtime"
	"sync"

	"lockstep/model"
)

// SimulateOptions steer a simulation without changing what comes of it.
type SimulateOptions struct {
	// Workers is how many runs go on at the same time, as many as there are processors if it
	// is 0.
	Workers int
	// Progress, if it is set, is called now and then, by one goroutine at a time.
	Progress func(SimulateProgress)
}

// SimulateProgress is how far a simulation has got: how many runs are over, and which share
// of all there is to do, from 0 to 1, as far as that can be told from the requests that are
// answered.
type SimulateProgress struct {
	Runs  int
	Share float64
}

// Simulate runs a simulation and returns the results of its runs, in their order. It
// stops early when the context is cancelled; the results are then those of the first
// runs, as many as were over without a gap, or of the first run until then if there are
// none.
//
// Its errors are a *ScenarioError for a simulation that makes no sense, or for a protocol
// that needs what a simulation does not follow, a *ProtocolError for protocol code that
// breaks a rule, and anything else for a fault of its own.
func Simulate(ctx context.Context, c Simulation, o SimulateOptions) (*Simulated, error) {
	p, err := c.prepare()
	if err != nil {
		return nil, err
	}
	tick := p.tick()
	for {
		runs, err := p.runs(ctx, tick, o)
		if p.again(err, &tick) {
			continue
		}
		if err != nil {
			return nil, err
		}
		return newSimulated(p, runs), nil
	}
}

// again reports whether a simulation that has ended with an error begins again: with a finer
// tick, or whole.
func (c *prepared) again(err error, tick *model.Tick) bool {
	var finer *finerTick
	if errors.As(err, &finer) {
		*tick = finer.tick
		return true
	}
	return c.whole == nil && errors.As(err, &c.whole)
}

// runs takes all runs, in several goroutines.
func (c *prepared) runs(ctx context.Context, tick model.Tick, o SimulateOptions) ([]*RunResult, error) {
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, c.Runs)
	results := make([]*RunResult, c.Runs)
	errs := make([]error, c.Runs)
	var lock sync.Mutex
	next, failed := 0, false
	shares := make([]float64, c.Runs)
	progress := SimulateProgress{}
	take := func() (number int, ok bool) {
		lock.Lock()
		defer lock.Unlock()
		if next == c.Runs || failed || next > 0 && ctx.Err() != nil {
			return 0, false
		}
		next++
		return next - 1, true
	}
	advance := func(number int, share float64, over bool) {
		lock.Lock()
		defer lock.Unlock()
		progress.Share += (share - shares[number]) / float64(c.Runs)
		shares[number] = share
		if over {
			progress.Runs++
		}
		if o.Progress != nil {
			o.Progress(progress)
		}
	}
	finish := func(number int, r *RunResult, err error) {
		lock.Lock()
		results[number], errs[number] = r, err
		failed = failed || err != nil
		lock.Unlock()
		if r != nil && !r.Stopped {
			advance(number, 1, true)
		}
	}
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			var m *simulator
			for {
				number, ok := take()
				if !ok {
					return
				}
				var err error
				if m == nil {
					m, err = newSimulator(c, tick)
				}
				var r *RunResult
				if err == nil {
					m.advance = func(share float64) { advance(number, share, false) }
					r, err = m.run(ctx, number)
				}
				finish(number, r, err)
			}
		})
	}
	group.Wait()
	for number, r := range results {
		if errs[number] != nil {
			return nil, errs[number]
		}
		if r == nil || r.Stopped && number > 0 {
			return results[:number], nil
		}
		if r.Stopped {
			return results[:1], nil
		}
	}
	return results, nil
}
