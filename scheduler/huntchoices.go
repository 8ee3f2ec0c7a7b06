package scheduler

import (
	"fmt"
	"hash/fnv"
	"time"

	"lockstep/model"
)

// huntChoice is one step of a run: when, and what.
type huntChoice struct {
	at time.Duration
	huntDeed
	// second is how long a second takes of a clock that drifts from then on.
	second time.Duration
	// move is what it was in the run.
	move model.Move
}

// huntDeed says who does what, in terms that mean the same in another scenario.
type huntDeed struct {
	kind model.MoveKind
	who  huntName
	// fault is the name of what begins or ends, where is the store or the key that it strikes,
	// or that loses an entry.
	fault, where string
	operation    model.OperationKind
	observation  model.Observation
	// ages are the answers to what an atomic step asks.
	ages model.Ages
	// struck stands for the processes that are due when a fault ends and for the entries that
	// are gone, choice tells apart what is alike otherwise.
	struck uint64
	choice uint32
}

// huntName names a process, or a node: then the rest is zero. The zero value is nobody.
type huntName struct {
	of      nameKind
	class   model.Class
	node    uint8
	role    model.Role
	request uint16
	label   uint32
	sent    bool
}

type nameKind uint8

const (
	nobody nameKind = iota
	aNode
	aProcess
)

// root is the process that it descends from, or belongs to.
func (n huntName) root() huntName {
	n.label, n.sent = 0, false
	return n
}

func nameOfNode(n *model.Node) huntName { return huntName{of: aNode, class: n.Class, node: n.Label} }

func nameOfProcess(s *model.State, p *model.Process) huntName {
	n := nameOfNode(&s.Nodes[p.Node])
	n.of, n.role, n.request, n.label, n.sent = aProcess, p.Role, p.Request, p.Label, p.Phase == model.Sent
	return n
}

// deed says what a move of the state at hand is.
func (w *huntWorld) deed(m *model.Move) (huntDeed, error) {
	d := huntDeed{kind: m.Kind, observation: m.Observation, ages: m.Ages, choice: m.Choice}
	s := &w.state
	switch m.Kind {
	case model.MoveExpire:
		d.where = w.keyName(model.KeyID(m.Index))
		return d, nil
	case model.MoveFault, model.MoveRecovery:
		d.fault = w.rules.Faults[m.Fault].Name()
		// What it strikes it says itself.
		w.trial.Copy(s)
		e := &w.trialEvent
		if err := w.rules.Apply(&w.trial, m, e); err != nil {
			return d, err
		}
		switch {
		case e.Process >= 0 && e.Process < len(s.Processes):
			d.who = nameOfProcess(s, &s.Processes[e.Process])
		case e.Node >= 0:
			d.who = nameOfNode(&s.Nodes[e.Node])
		}
		switch w.rules.Faults[m.Fault].Strikes() {
		case model.OnKey:
			d.where = w.keyName(e.Changes[0].Key)
		case model.OnStore:
			d.where = storeName(e.Store)
		}
		for _, i := range e.Overdue {
			n := nameOfProcess(&w.trial, &w.trial.Processes[i])
			d.struck ^= mixed(uint64(n.node)<<56 | uint64(n.role)<<48 | uint64(n.request)<<32 | uint64(n.label))
		}
		for i := range e.Changes {
			if c := &e.Changes[i]; !c.After.Present() {
				h := fnv.New64a()
				h.Write([]byte(w.keyName(c.Key)))
				d.struck ^= h.Sum64()
			}
		}
		return d, nil
	case model.MoveLate:
		if m.Choice != 0 {
			d.where = w.keyName(model.KeyID(m.Index))
			return d, nil
		}
	case model.MoveFailure:
		d.fault = w.rules.Faults[m.Fault].Name()
	}
	p := &s.Processes[m.Index]
	d.who = nameOfProcess(s, p)
	if p.Phase != model.Waiting {
		d.operation = w.rules.Automaton.Operation(p.Local).Kind
	}
	return d, nil
}

func (w *huntWorld) keyName(k model.KeyID) string {
	store, key := w.namer.learner.name(k)
	return store + "/" + key
}

// likeness says how much a deed is like one that is wanted: 0 if it is another.
func (d *huntDeed) likeness(wanted *huntDeed) int {
	if d.kind != wanted.kind || d.who != wanted.who || d.fault != wanted.fault || d.where != wanted.where {
		return 0
	}
	switch {
	case d.operation != wanted.operation:
		if d.fault != "" {
			return 0
		}
		return 1
	case d.observation != wanted.observation || d.ages != wanted.ages:
		return 2
	case d.struck != wanted.struck:
		return 3
	case d.kind == model.MoveArrive && d.choice != wanted.choice:
		return 4
	case d.choice != wanted.choice:
		return 5
	}
	return 6
}

// schedule runs the choices as far as they are possible: each is left out that is not, and
// what is due in between comes by itself. It returns what was done, up to the first step that
// violates the property; then violated says so. It is [Follow] without names.
func (w *huntWorld) schedule(choices []huntChoice) (done []huntChoice, err error) {
	defer w.blame(&err)
	w.violated = -1
	if err := w.start(); err != nil {
		return nil, err
	}
	forced := 0
	for i := range choices {
		c := &choices[i]
		for w.now < c.at {
			if room := w.replayer.room(c.at - w.now); room > 0 {
				w.wait(room)
				continue
			}
			if forced++; forced > maxForced {
				return done, nil
			}
			move, ok, err := w.due()
			if err != nil || !ok {
				return done, err
			}
			if done, err = w.record(done, &move, 0); err != nil || w.violated >= 0 {
				return done, err
			}
		}
		move, ok, err := w.likest(c)
		if err != nil {
			return done, err
		}
		if !ok {
			continue
		}
		if done, err = w.record(done, &move, c.second); err != nil || w.violated >= 0 {
			return done, err
		}
	}
	return done, nil
}

// record takes a move now, and appends what it is.
func (w *huntWorld) record(done []huntChoice, m *model.Move, second time.Duration) ([]huntChoice, error) {
	d, err := w.deed(m)
	if err != nil {
		return done, err
	}
	c := huntChoice{w.now, d, second, *m}
	err = w.apply(*m, func(least, most time.Duration) time.Duration { return min(max(second, least), most) })
	if w.event.Drift.Drift != model.NoDrift {
		c.second = w.drawn
	}
	return append(done, c), err
}

// likest returns the move that is possible now and most like a choice.
func (w *huntWorld) likest(c *huntChoice) (best model.Move, ok bool, err error) {
	w.moves.Reset(&w.replayer)
	w.rules.Moves(&w.state, &w.moves)
	most := 0
	for i := range w.moves.List {
		m := &w.moves.List[i]
		if m.Kind != c.kind || m.Soon != 0 {
			continue
		}
		d, err := w.deed(m)
		if err != nil {
			return best, false, err
		}
		if like := d.likeness(&c.huntDeed); like > most {
			most, best = like, *m
		}
	}
	return best, most > 0, w.moves.Err
}

// due returns what happens if nothing may wait: first what a process does that cannot wait
// any longer, arrivals last.
func (w *huntWorld) due() (best model.Move, ok bool, err error) {
	w.moves.Reset(&w.replayer)
	w.rules.Moves(&w.state, &w.moves)
	most := 0
	for i := range w.moves.List {
		m := &w.moves.List[i]
		urgency := 2
		switch m.Kind {
		case model.MoveFault, model.MoveFailure, model.MoveLate:
			continue
		case model.MoveArrive:
			urgency = 1
		case model.MoveEffect, model.MoveReply, model.MoveTimeout:
			p := &w.state.Processes[m.Index]
			if urgent, bound := w.rules.Urgent(&w.state, p); urgent || bound < model.Forever && p.Clock != model.NoClock && w.AtLeast(p.Clock, bound) {
				urgency = 3
			}
		}
		if m.Soon == 0 && urgency > most {
			most, best = urgency, *m
		}
	}
	return best, most > 0, w.moves.Err
}

// huntCost is what a run costs: faults, then steps.
type huntCost struct{ faults, steps int }

func costOf(choices []huntChoice) (c huntCost) {
	for i := range choices {
		if choices[i].kind.IsFault() {
			c.faults++
		}
		c.steps += choices[i].kind.Weight()
	}
	return c
}

func (c huntCost) less(d huntCost) bool {
	return c.faults < d.faults || c.faults == d.faults && c.steps < d.steps
}

// narrate turns a run of the world into a trace, with the names that a trace has.
func (w *huntWorld) narrate(done []huntChoice, p model.Property) (*model.Trace, error) {
	rules := *w.rules
	rules.Monitors = append([]model.Monitor(nil), w.monitors...)
	n := makeHuntWorld(w.scenario, &rules, newNamer(&rules, w.namer.learner), w.tick, w.given)
	r := &n.replayer
	r.history = newNotes(r.monitors)
	if err := rules.Start(&r.state, n.who); err != nil {
		return nil, err
	}
	r.settle()
	base := &model.Trace{Format: model.TraceFormat, Version: model.TraceVersion}
	if p, ok := p.(model.Argued); ok {
		base.Argument = p.Argument()
	}
	rerun := newRerun(w.scenario, base, p)
	for i := range done {
		c := &done[i]
		if err := r.pass(c.at - r.now); err != nil {
			return nil, fmt.Errorf("scheduler: step %d of a run is not possible again: %w", i+1, err)
		}
		got, _, err := r.take(c.kind.String(), func(_ *model.TraceStep, e *model.Event) bool {
			return equalMoves(&e.Move, &c.move) && r.drifts(e, &model.TraceStep{Second: c.second})
		})
		if err != nil {
			return nil, err
		}
		if got == nil {
			return nil, fmt.Errorf("scheduler: step %d of a run is not possible again", i+1)
		}
		rerun.add(r, p, got, i+1, nil)
	}
	if err := rerun.end(r, p, true); err != nil {
		return nil, err
	}
	if rerun.Violated != len(done) {
		return nil, fmt.Errorf("scheduler: a run that violates %s does not when it is told", p.Name())
	}
	return rerun.Trace, nil
}
