package scheduler

import (
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"lockstep/model"
	"lockstep/model/zone"
)

const (
	// batchSize is how many states are expanded between two looks at the limits.
	// Where several states cover another, which of them an edge of the graph leads to
	// can depend on it, and so what a property about dead ends is silent about; it is
	// the same for every number of workers.
	batchSize = 1024
	// chunkSize is how many states of a batch a worker takes at a time.
	chunkSize = 8
)

// errUnlearned says that the automaton would have to be learned.
var errUnlearned = errors.New("scheduler: not learned yet")

// reader is a learner that does not learn, so that many can use it at once.
type reader struct{ *learner }

func (r reader) Next(id model.LocalID, o model.Observation) (*model.Edge, error) {
	if edge := r.known(id, o); edge != nil {
		return edge.edge, nil
	}
	return nil, errUnlearned
}

func (r reader) Start(p model.ProgramID) (*model.Edge, error) {
	if edge := r.programs[p].start; edge != nil {
		return edge, nil
	}
	return nil, errUnlearned
}

func (r reader) Script(id model.LocalID, in *model.ScriptInput) (*model.ScriptRun, error) {
	if run := r.locals[id].scripts[*in]; run != nil {
		return run, nil
	}
	return nil, errUnlearned
}

// worker expands states of a batch that lie in chunks of its own.
type worker struct {
	expander
	// chunk is the one at hand. It is kept here so that workers do not write to one
	// line of the cache.
	chunk chunk
}

// chunk is what became of some states of a batch. Its memory is reused.
type chunk struct {
	expanded []expanded
	outcomes []outcome
	// targets are those of the outcomes that have one.
	targets []target
	bytes   []byte
	bounds  []zone.Bound
	spared  []uint32
}

// expanded is a state of a chunk. again: it has to be expanded again in its turn,
// where the automaton may be learned and an error is the first one.
type expanded struct {
	outcomes int // how many
	again    bool
}

// employ makes the workers.
func (x *explorer) employ() {
	n := x.options.Workers
	if n == 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if n < 2 {
		return
	}
	for range n {
		rules := *x.rules
		rules.Automaton = reader{x.learner}
		x.workers = append(x.workers, &worker{expander: *newExpander(x, &rules)})
	}
	x.chunks = make([]chunk, batchSize/chunkSize)
}

// expandBatch expands the states of the level from the i-th on, up to the end of
// their batch, and those that join it meanwhile.
func (x *explorer) expandBatch(i int) error {
	end := i + batchSize
	for i < end && i < len(x.current) {
		batch := x.current[i:min(end, len(x.current))]
		i += len(batch)
		x.frozen = uint32(x.states.len())
		if len(x.workers) == 0 || len(batch) < x.options.smallBatch() {
			for _, s := range batch {
				if err := x.expand(s); err != nil {
					return err
				}
			}
			continue
		}
		if err := x.expandTogether(batch); err != nil {
			return err
		}
	}
	return nil
}

// smallBatch is how many states are not worth the trouble of working together.
func (o *Options) smallBatch() int {
	if o.together > 0 {
		return o.together
	}
	return 8 * chunkSize
}

// expandTogether lets the workers find out what the states of a batch lead to, and
// then stores that in order.
func (x *explorer) expandTogether(batch []uint32) error {
	var next atomic.Int64
	var group sync.WaitGroup
	chunks := (len(batch) + chunkSize - 1) / chunkSize
	states := func(c int) []uint32 { return batch[c*chunkSize : min((c+1)*chunkSize, len(batch))] }
	work := func(w *worker) {
		for c := int(next.Add(1)) - 1; c < chunks; c = int(next.Add(1)) - 1 {
			w.expand(&x.chunks[c], states(c))
		}
	}
	// One of them is this goroutine, which would only wait.
	for _, w := range x.workers[1:min(len(x.workers), chunks)] {
		group.Go(func() { work(w) })
	}
	work(x.workers[0])
	group.Wait()
	for c := range chunks {
		if err := x.takeChunk(&x.chunks[c], states(c)); err != nil {
			return err
		}
	}
	return nil
}

// takeChunk stores what became of the states of a chunk.
func (x *explorer) takeChunk(c *chunk, states []uint32) error {
	outcomes, targets := c.outcomes, c.targets
	for n, s := range states {
		done := &c.expanded[n]
		if done.again {
			if err := x.expand(s); err != nil {
				return err
			}
			continue
		}
		due := x.due(s)
		for k := range outcomes[:done.outcomes] {
			o := &outcomes[k]
			var t *target
			if o.covering == noParent {
				t, targets = &targets[0], targets[1:]
			}
			if !due {
				continue
			}
			if err := x.take(s, o, t); err != nil {
				return err
			}
		}
		outcomes = outcomes[done.outcomes:]
		if due {
			x.states.at(s).flags |= flagExpanded
		}
	}
	return nil
}

// expand fills the chunk with what the states lead to.
func (w *worker) expand(to *chunk, states []uint32) {
	w.chunk = *to
	c := &w.chunk
	c.expanded, c.outcomes, c.targets = c.expanded[:0], c.outcomes[:0], c.targets[:0]
	c.bytes, c.bounds, c.spared = c.bytes[:0], c.bounds[:0], c.spared[:0]
	for _, s := range states {
		outcomes, targets := len(c.outcomes), len(c.targets)
		var err error
		// What is not due now will not be in its turn either.
		if w.search.due(s) {
			err = w.successors(s, c.keep)
		}
		if err != nil {
			c.outcomes, c.targets = c.outcomes[:outcomes], c.targets[:targets]
		}
		c.expanded = append(c.expanded, expanded{len(c.outcomes) - outcomes, err != nil})
	}
	*to = w.chunk
}

// keep copies a successor into the chunk.
func (c *chunk) keep(f *successor) error {
	c.outcomes = append(c.outcomes, f.outcome)
	if f.covering != noParent {
		return nil
	}
	t := f.target
	t.key = appended(&c.bytes, t.key)
	t.cells = appended(&c.bounds, t.cells)
	if t.own {
		t.vector = appended(&c.bounds, t.vector)
		t.limits = limitsOf(t.vector)
	}
	t.spared = appended(&c.spared, t.spared)
	c.targets = append(c.targets, t)
	return nil
}

// appended appends a record to a buffer and returns the copy. What was returned
// before stays as it is even if the buffer moves.
func appended[T any](to *[]T, record []T) []T {
	*to = append(*to, record...)
	return slices.Clip((*to)[len(*to)-len(record):])
}
