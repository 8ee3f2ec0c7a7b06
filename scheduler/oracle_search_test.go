package scheduler_test

// cost is that of a violation.
type cost struct {
	found         bool
	faults, steps int
}

func (c cost) better(d cost) bool {
	return c.found && (!d.found || c.faults < d.faults || c.faults == d.faults && c.steps < d.steps)
}

// enumeration is every world that a setting can come to.
type enumeration struct {
	worlds []*world
	steps  []int // at least
	edges  [][]int32
	best   [rules]cost
	// stuck are the worlds from which no continuation without faults leads to a
	// world without live requests.
	stuck []bool
	// tooMany: the enumeration was given up.
	tooMany bool
	endless bool
}

// enumerate goes through all worlds in the order of their distance in steps; what
// weighs nothing leads on within a level. The faults behind a world follow from
// the budgets left in it.
func enumerate(set *setting, most int) *enumeration {
	e := &enumeration{}
	known := map[string]int32{}
	first := start(set)
	known[first.key()] = 0
	e.worlds, e.steps, e.edges = []*world{first}, []int{0}, [][]int32{nil}
	level, next := []int32{0}, []int32(nil)
	expanded := map[int32]bool{}
	for len(level) > 0 {
		for k := 0; k < len(level); k++ {
			at := level[k]
			if expanded[at] {
				continue
			}
			expanded[at] = true
			steps := e.steps[at]
			for _, s := range e.worlds[at].successors() {
				if s.world.endlessly {
					e.endless = true
					return e
				}
				faults := s.world.behind()
				for r, violated := range s.violates {
					if c := (cost{violated, faults, steps + s.weight}); c.better(e.best[r]) {
						e.best[r] = c
					}
				}
				key := s.world.key()
				to, ok := known[key]
				if !ok {
					to = int32(len(e.worlds))
					known[key] = to
					e.worlds, e.steps, e.edges = append(e.worlds, s.world), append(e.steps, steps+s.weight), append(e.edges, nil)
					if len(e.worlds) > most {
						e.tooMany = true
						return e
					}
				}
				if !ok || steps+s.weight < e.steps[to] {
					e.steps[to] = steps + s.weight
					if s.weight == 0 {
						level = append(level, to)
					} else {
						next = append(next, to)
					}
				}
				if !s.fault {
					e.edges[at] = append(e.edges[at], to)
				}
			}
		}
		level, next = next, level[:0]
	}
	e.findStuck()
	return e
}

func (e *enumeration) findStuck() {
	incoming := make([][]int32, len(e.worlds))
	for from, edges := range e.edges {
		for _, to := range edges {
			incoming[to] = append(incoming[to], int32(from))
		}
	}
	e.stuck = make([]bool, len(e.worlds))
	var queue []int32
	for i, w := range e.worlds {
		e.stuck[i] = !w.settled()
		if !e.stuck[i] {
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		for _, from := range incoming[at] {
			if e.stuck[from] {
				e.stuck[from] = false
				queue = append(queue, from)
			}
		}
	}
}

// stuckCost is the least cost of a stuck world.
func (e *enumeration) stuckCost() cost {
	var best cost
	for i, stuck := range e.stuck {
		w := e.worlds[i]
		if c := (cost{stuck, w.behind(), e.steps[i]}); c.better(best) {
			best = c
		}
	}
	return best
}
