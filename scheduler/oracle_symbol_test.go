package scheduler_test

import (
	"slices"

	"lockstep/model"
	"lockstep/scheduler"
)

// kindSymbol is the kind of the datum in a register, whatever it is.
const kindSymbol = model.Kind(100)

// symbol is a process of the oracle as far as its local state goes: its values,
// tasks, deadline and watch are numbers of registers.
type symbol struct {
	process
	registers []model.Kind // KindNone: a value or token
	deadline  int
	watchAt   int
	// spawned are the processes that began in the last step.
	spawned []*symbol
}

// symbols tells what the local states of a search are for the oracle, by letting
// the oracle's process go through the history of each.
type symbols struct {
	set    *setting
	locals map[model.LocalID]*symbol
}

func (y *symbols) of(id model.LocalID, l scheduler.Learner) *symbol {
	if s, ok := y.locals[id]; ok {
		return s
	}
	s := y.after(l.Origin(id), l)
	y.locals[id] = s
	return s
}

// after returns a process after a step.
func (y *symbols) after(at scheduler.Origin, l scheduler.Learner) *symbol {
	var s symbol
	if at.Start {
		s = *y.begin(at.Program, l)
	} else {
		s = *y.of(at.From, l)
		s.registers = slices.Clone(s.registers)
	}
	s.spawned = nil
	if !at.Start {
		s.observe(y.set.programs, at.By, l)
	}
	y.set.programs.advance(&s.process, &s, y.set.invalidate)
	return &s
}

// begin returns a process of the program that has not done anything.
func (y *symbols) begin(p model.ProgramID, l scheduler.Learner) *symbol {
	at, before, spawned := l.Spawned(p)
	if !spawned {
		return &symbol{process: process{program: rolePrograms()[p], root: true, job: p == model.ProgramOf(model.Job, 0)}}
	}
	child := *y.after(at, l).spawned[before]
	child.registers = slices.Clone(child.registers)
	return &child
}

func (s *symbol) observe(ps programs, o model.Observation, l scheduler.Learner) {
	in := ps[s.program][s.pc]
	what := seen{code: o.Code()}
	if code, ok := ofExec(in, o, l); ok {
		ps.observe(&s.process, seen{code: code})
		return
	}
	switch o.Code() {
	case model.Found:
		kind := model.KindNone
		if in.verb == vDeadline {
			kind, what.code = model.KindDeadline, model.Done
			s.hasDeadline, s.deadlineLimit, s.deadline = true, in.ttl, o.Register()
		}
		if in.watches() {
			kind, what.code = model.KindWatch, model.Done
			s.watchAt, s.watch.writes = o.Register(), in.verb == vWatchWrites
		}
		if o.Register() == len(s.registers) {
			s.registers = append(s.registers, kind)
		}
		what.value = model.Datum{Kind: kindSymbol, N: uint8(o.Register())}
	case model.Result:
		result, _ := l.Result(o.Class()).(tinyResult) // what was ended has none
		what.number = result.N
		if result.V != (tinyResult{}).V {
			at := o.ResultRegister(0)
			if at == len(s.registers) {
				s.registers = append(s.registers, model.KindNone)
			}
			what.value = model.Datum{Kind: kindSymbol, N: uint8(at)}
		}
	}
	ps.observe(&s.process, what)
}

// token, spawn, restart and kept are what the code of a process does to its
// world; here, to its registers.
func (s *symbol) token(*process) model.Datum {
	s.registers = append(s.registers, model.KindNone)
	return model.Datum{Kind: kindSymbol, N: uint8(len(s.registers) - 1)}
}

func (s *symbol) restart(*process) { s.registers = nil }

func (s *symbol) spawn(p *process, in instruction) int {
	child := &symbol{process: process{program: in.n, v: p.v, detached: p.detached || in.detached}}
	moved := map[int]int{}
	for k, kind := range s.registers {
		if kind == model.KindNone {
			moved[k] = len(child.registers)
			child.registers = append(child.registers, kind)
		}
	}
	for k := range child.v {
		if d := &child.v[k]; d.Kind == kindSymbol {
			d.N = uint8(moved[int(d.N)])
		}
	}
	s.spawned = append(s.spawned, child)
	s.registers = append(s.registers, model.KindTask)
	return len(s.registers)
}

// kept is a checkpoint: what the locals mention stays, in their order.
func (s *symbol) kept(p *process) {
	var registers []model.Kind
	moved := map[int]int{}
	keep := func(k int) int {
		if _, ok := moved[k]; !ok {
			moved[k] = len(registers)
			registers = append(registers, s.registers[k])
		}
		return moved[k]
	}
	for k := range p.v {
		if d := &p.v[k]; d.Kind == kindSymbol {
			d.N = uint8(keep(int(d.N)))
		}
	}
	for k := range p.task {
		if p.task[k] != 0 {
			p.task[k] = keep(p.task[k]-1) + 1
		}
	}
	if p.hasDeadline {
		s.deadline = keep(s.deadline)
	}
	if p.hasWatch {
		s.watchAt = keep(s.watchAt)
	}
	s.registers = registers
}

// world returns a state of the engine as the oracle would have it, without
// anything that only clocks or properties know.
func (y *symbols) world(s *model.State, l scheduler.Learner) *world {
	w := &world{set: y.set, source: int(s.Source)}
	for _, n := range s.Nodes {
		h := host1{status: map[model.Status]status{model.Running: running, model.Halted: paused, model.Crashed: crashed, model.Down: down, model.Doomed: doomed}[n.Status]}
		for k, name := range l.Memory() {
			switch d := n.Memory[k]; name {
			case tinyMutex:
				h.locked = d.Kind != model.KindNone
			case tinyVariable:
				h.variable = d
			case tinySignals:
				h.signals = int(d.N)
			}
		}
		w.nodes = append(w.nodes, h)
	}
	for _, o := range s.Owners {
		f := noFamily
		if o != model.NoOwner {
			f = family{int(o >> 8), int(o & 0xff)}
		}
		w.owners = append(w.owners, f)
	}
	for k, name := range l.Keys() {
		for tiny, key := range tinyKeys {
			if name == y.set.storeName(key.cache)+"/"+key.name {
				e := &s.Entries[k]
				w.entries[tiny] = entry{value: e.Value, ttl: int(e.TTL)}
				if e.Session != 0 {
					w.entries[tiny] = entry{value: e.Value, bond: bond{bound: true, within: int(e.TTL), dying: e.Clock != model.NoClock}}
				}
			}
		}
	}
	order := 0
	for i := range s.Processes {
		p := &s.Processes[i]
		if order++; i == 0 || p.Node != s.Processes[i-1].Node || p.Family != s.Processes[i-1].Family {
			order = 0
		}
		q := y.process(p, &s.Nodes[p.Node], l)
		q.node, q.request, q.order, q.root = int(p.Node), int(p.Family), order, p.Root
		for k, name := range l.Keys() {
			for tiny, key := range tinyKeys {
				// Locks are named by their keys in Store, wherever they are.
				if name == "store/"+key.name && p.Believes&(1<<k) != 0 {
					q.believes[tiny] = true
				}
			}
		}
		w.processes = append(w.processes, q)
	}
	return w.discrete()
}

func (y *symbols) process(p *model.Process, n *model.Node, l scheduler.Learner) process {
	if p.Phase == model.Waiting {
		return process{program: rolePrograms()[p.Program()], job: p.Role == model.Job}
	}
	s := y.of(p.Local, l)
	q := s.process
	datum := func(d model.Datum) model.Datum {
		if d.Kind == kindSymbol {
			return p.Registers[d.N].Datum
		}
		return d
	}
	switch p.Phase {
	case model.Sent:
		in := y.set.programs[q.program][q.pc]
		return request(in, q.program, q.pc, datum(q.v[in.v]))
	case model.Ended:
		q = process{program: q.program, phase: ended, result: seen{model.Result, model.Datum{}, q.result.number}}
		if s.result.value.Kind == kindSymbol {
			q.result.value = p.Registers[0].Datum
		}
		return q
	case model.Replying:
		q.phase, q.seen = replying, seen{code: p.Observed.Code()}
		if code, ok := ofExec(y.set.programs[q.program][q.pc], p.Observed, l); ok {
			q.seen.code = code
		}
		if p.Observed.Code() == model.Found {
			q.seen.value = p.Registers[p.Observed.Register()].Datum
		}
	case model.Acting:
		if p.Observed.Code() == model.Parked {
			q.phase, q.place = parked, int(p.Observed&0xff)
		}
	}
	y.watch(p, s, &q, l)
	for k := range q.v {
		q.v[k] = datum(q.v[k])
	}
	for k := range q.task {
		if q.task[k] != 0 {
			q.task[k] = int(p.Registers[q.task[k]-1].N) + 1
		}
	}
	if q.hasDeadline {
		q.deadlinePassed = p.Registers[s.deadline].Clock == model.NoClock
	}
	q.writing = p.Writing
	q.stopped, q.cancelled, q.starved, q.new = p.Stopped, p.Cancelled, p.Starved, p.New
	q.stoppedAtIssue = p.Phase == model.Acting && p.Observed.Code() == model.Stopped && p.Observed != 0
	q.cancelledAtIssue = p.Phase == model.Acting && p.Observed.Code() == model.Cancelled
	return q
}

// watch sets what the process sees of what it watches.
func (y *symbols) watch(p *model.Process, s *symbol, q *process, l scheduler.Learner) {
	at, writes := s.watchAt, s.watch.writes
	switch in := y.set.programs[s.program][s.pc]; {
	case q.phase == replying && in.watches() && p.Observed.Code() == model.Found:
		// It has the watch already and does not know.
		at, writes = p.Observed.Register(), in.verb == vWatchWrites
		q.seen = seen{code: model.Done}
	case !q.hasWatch:
		return
	}
	q.watch = watching{}
	numbers, local := p.Registers[at].Watched()
	if local && numbers != 0 {
		q.watch.local, q.watch.changed = true, p.Registers[at].N == 1
		return
	}
	for k, name := range l.Keys() {
		if numbers&(1<<k) == 0 {
			continue
		}
		for tiny, key := range tinyKeys {
			switch name {
			case y.set.storeName(key.cache) + "/" + key.name:
				q.watch.keys |= 1 << tiny
			case y.set.storeName(key.cache) + "/channel:" + tinyChannel:
				q.watch.keys |= channel(key.cache)
			}
		}
	}
	if q.watch.keys != 0 {
		q.watch.writes, q.watch.changed = writes, p.Registers[at].N == 1
	}
}

// discrete returns the world without what only clocks and properties know and
// without the budgets, since a state covers those with less left; the requests of
// a node are numbered by their order.
func (w *world) discrete() *world {
	d := w.clone()
	d.crashes, d.pauses, d.rebuilds, d.lastKept = 0, 0, 0, [len(tinyKeys)]int{}
	// Where a fault can begin without an effect the engine lets it begin elsewhere.
	d.left, d.backup, d.blackout, d.frozen, d.starving = [troubles]int{}, backup{}, blackout{}, [2]bool{}, 0
	for n := range d.nodes {
		d.nodes[n].age = 0
	}
	for k := range d.entries {
		d.entries[k].age, d.entries[k].bond.age = 0, 0
	}
	d.tidy()
	number := map[family]int{}
	count := make([]int, len(d.nodes))
	for i := range d.processes {
		p := &d.processes[i]
		p.age, p.wait, p.deadlineAge, p.byFault = 0, 0, 0, false
		if _, ok := number[p.family()]; !ok {
			number[p.family()] = count[p.node]
			count[p.node]++
		}
	}
	for t, f := range d.owners {
		if f != noFamily {
			d.owners[t].request = number[f]
		}
	}
	for i := range d.processes {
		d.processes[i].request = number[d.processes[i].family()]
	}
	return d
}
