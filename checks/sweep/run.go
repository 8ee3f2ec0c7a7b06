package sweep

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options steer a sweep without changing what comes of it.
type Options struct {
	// Workers is how many goroutines work, as many as there are processors if it is 0. They
	// take points at the same time, or share one if there are fewer.
	Workers int
	// Progress, if it is set, is called now and then, by one goroutine at a time.
	Progress func(Progress)
}

// Progress is how far a sweep has got.
type Progress struct {
	// Done is how many of Wanted points are done, Before how many were when the sweep went on.
	Done, Before, Wanted int
	// Elapsed is the time since the sweep went on, Left an estimate of what is missing, 0 as
	// long as nothing is known: as long for each point as for those that are done.
	Elapsed, Left time.Duration
	// Point are the values of a point that is under way, States how many states its search has
	// stored and Share how much of its simulation is done, from 0 to 1.
	Point  []string
	States int64
	Share  float64
}

// PointError says at which point something went wrong.
type PointError struct {
	Number int
	Axes   []Axis
	Values []string
	Err    error
}

func (e *PointError) Error() string {
	return fmt.Sprintf("point %d (%s): %v", e.Number, Words(e.Axes, e.Values), e.Err)
}

// Unwrap returns what went wrong.
func (e *PointError) Unwrap() error { return e.Err }

// Words says where a point is: ttl 10s, pause 1x5s.
func Words(axes []Axis, values []string) string {
	var words []string
	for i, v := range values {
		words = append(words, axes[i].Name+" "+v)
	}
	return strings.Join(words, ", ")
}

// Work does a point. [Task.Do] is what it is made of.
type Work func(ctx context.Context, number, workers int, progress func(states int64, share float64)) (*Checked, *Simulated, error)

// Run does the points of the shard that the file does not have, and returns all of them. If the
// context is cancelled it returns those that are done, as a partial sweep. On an error the
// points that are done are in the file. The errors are a *PlanError if the file has another
// plan, a *PointError with what went wrong at a point, and those of the file.
func Run(ctx context.Context, p *Plan, s Shard, name string, work Work, o Options) (*Sweep, error) {
	points, err := p.Points()
	if err != nil {
		return nil, err
	}
	f, err := open(name, p, points, s)
	if err != nil {
		return nil, err
	}
	r := &runner{file: f, work: work, progress: o.Progress, started: time.Now()}
	if err := errors.Join(r.run(ctx, o.Workers), f.close()); err != nil {
		return nil, err
	}
	return f.sweep(), nil
}

// runner does points and writes them.
type runner struct {
	*file
	work     Work
	progress func(Progress)
	started  time.Time
	before   int

	lock   sync.Mutex
	todo   []int
	failed error
}

// run does what is missing.
func (r *runner) run(ctx context.Context, workers int) error {
	r.before = len(r.points)
	r.missing()
	r.show(nil, 0, 0)
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	together := max(min(workers, len(r.todo)), 1)
	// A point that fails stops the others.
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var group sync.WaitGroup
	for i := range together {
		group.Go(func() {
			for {
				number, ok := r.take(ctx)
				if !ok {
					return
				}
				if err := r.do(ctx, number, (workers+i)/together); err != nil {
					stop()
				}
			}
		})
	}
	group.Wait()
	if r.failed != nil || len(r.points) < r.shard.size(len(r.values)) {
		return r.failed
	}
	return r.order()
}

// missing lists the points that are still to be done.
func (r *runner) missing() {
	done := map[int]bool{}
	for _, p := range r.points {
		done[p.Number] = true
	}
	for number := range r.values {
		if r.shard.has(number) && !done[number] {
			r.todo = append(r.todo, number)
		}
	}
	slices.Reverse(r.todo)
}

func (r *runner) take(ctx context.Context) (number int, ok bool) {
	r.lock.Lock()
	defer r.lock.Unlock()
	if len(r.todo) == 0 || ctx.Err() != nil {
		return 0, false
	}
	number = r.todo[len(r.todo)-1]
	r.todo = r.todo[:len(r.todo)-1]
	return number, true
}

// do does a point and writes it, unless it was stopped. It notes an error.
func (r *runner) do(ctx context.Context, number, workers int) error {
	values := r.values[number]
	checked, simulated, err := r.work(ctx, number, workers, func(states int64, share float64) {
		r.lock.Lock()
		defer r.lock.Unlock()
		r.show(values, states, share)
	})
	r.lock.Lock()
	defer r.lock.Unlock()
	switch {
	case err != nil && ctx.Err() != nil:
		return nil
	case err != nil:
		err = &PointError{number, r.header.Plan.Axes, values, err}
	default:
		err = r.add(&Point{number, values, checked, simulated})
	}
	if err != nil && r.failed == nil {
		r.failed = err
	}
	r.show(nil, 0, 0)
	return err
}

func (r *runner) show(point []string, states int64, share float64) {
	if r.progress == nil {
		return
	}
	p := Progress{
		Done: len(r.points), Before: r.before, Wanted: r.shard.size(len(r.values)),
		Elapsed: time.Since(r.started), Point: point, States: states, Share: share,
	}
	if now := p.Done - p.Before; now > 0 {
		p.Left = time.Duration(float64(p.Elapsed) / float64(now) * float64(p.Wanted-p.Done))
	}
	r.progress(p)
}
