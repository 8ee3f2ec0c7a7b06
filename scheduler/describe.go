package scheduler

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockstep/model"
)

// step names what a move from before did. after is the state before it is
// brought into canonical form.
func (n *namer) step(before, after *model.State, e *model.Event, at time.Duration) model.TraceStep {
	n.now = at
	step := model.TraceStep{Time: at, Kind: e.Move.Kind.String()}
	if e.Node >= 0 {
		step.Node = nodeName(&before.Nodes[e.Node])
	}
	var text string
	switch e.Move.Kind {
	case model.MoveFault, model.MoveRecovery:
		f := n.rules.Faults[e.Move.Fault]
		step.Fault = f.Name()
		step.Overdue = overdue(before, e)
		if e.Process >= 0 {
			step.Process = processName(before, &before.Processes[e.Process])
		}
		text = n.struck(f, e, &step) + " " + f.Describe(e.Move.Kind)
		text += n.over(before, after, &step) + n.overByClock(e, &step)
	case model.MoveFailure:
		f := n.rules.Faults[e.Move.Fault]
		step.Fault = f.Name()
		p := &before.Processes[e.Process]
		step.Process = processName(before, p)
		text = n.operation(before, after, p, e, &step) + " (" + f.Describe(e.Move.Kind) + ")"
	case model.MoveExpire:
		key := e.Changes[0].Key
		step.Key = n.key(key)
		text = "the TTL of " + n.learner.keys[key].key + " runs out"
		if c := &e.Changes[0]; c.Before.Session != 0 {
			text = n.learner.keys[key].key + " is removed, since its session is gone"
		}
	case model.MoveArrive:
		step.Process = processName(before, &before.Processes[e.Process])
		text = arrivals[before.Processes[e.Process].Role]
		step.Watched = e.Move.Choice == 1
	case model.MoveLate:
		text = n.late(before, e, &step)
	case model.MoveTimeout:
		text = n.timeout(before, &before.Processes[e.Process], e, &step)
	default:
		p := &before.Processes[e.Process]
		step.Process = processName(before, p)
		text = n.operation(before, after, p, e, &step)
	}
	n.changes(before, after, e, &step)
	step.Marks = n.marks(step.Marks, after, "", e.Process, e.Marks, e.Ended)
	for _, b := range e.Begun {
		step.Marks = n.marks(step.Marks, after, processName(after, &after.Processes[b.Process]), b.Process, b.Marks, b.Ended)
	}
	step.Text = text
	return step
}

// late says what has lasted for too long.
func (n *namer) late(s *model.State, e *model.Event, step *model.TraceStep) string {
	if e.Process < 0 {
		step.Key = n.key(e.Changes[0].Key)
		return "this has lasted for more than " + n.duration(n.rules.Patience-1)
	}
	step.Process = processName(s, &s.Processes[e.Process])
	if n.rules.Watching {
		return "this has lasted for more than " + n.duration(n.rules.Patience-1)
	}
	return step.Process + " has waited for more than " + n.duration(n.rules.Patience-1)
}

// driftText says how long a second of a clock that drifts takes.
func driftText(second time.Duration) string {
	return ": a second of it takes " + model.FormatDuration(second)
}

// struck names what a fault strikes.
func (n *namer) struck(f model.Fault, e *model.Event, step *model.TraceStep) string {
	switch f.Strikes() {
	case model.OnKey:
		step.Key = n.key(e.Changes[0].Key)
		return n.learner.keys[e.Changes[0].Key].key
	case model.OnStore:
		store := storeName(e.Store)
		step.Arguments = []string{store}
		if e.Node >= 0 {
			return "the " + store + ", seen from " + step.Node + ","
		}
		return "the " + store
	}
	if f.Strikes() == model.OnRequest {
		return step.Process
	}
	return step.Node
}

// over names what is gone from a replica that takes over, because its TTL was over.
func (n *namer) over(before, after *model.State, step *model.TraceStep) string {
	text := ""
	if !before.Replica.Lags || before.Replica.Reads || after.Replica.Lags {
		return text
	}
	for k := range before.Replica.Entries {
		if before.Replica.Entries[k].Present() && !after.Entries[k].Present() {
			step.Arguments = append(step.Arguments, n.key(model.KeyID(k)))
			text += ", where the TTL of " + n.learner.keys[k].key + " is over"
		}
	}
	return text
}

// overByClock names what is gone since the clock of its store has stepped.
func (n *namer) overByClock(e *model.Event, step *model.TraceStep) string {
	text := ""
	for i := range e.Changes {
		if c := &e.Changes[i]; c.ByClock && !c.After.Present() {
			step.Arguments = append(step.Arguments, n.key(c.Key))
			text += ", by which the TTL of " + n.learner.keys[c.Key].key + " is over"
		}
	}
	return text
}

// overdue names the processes that the end of a fault finds due.
func overdue(s *model.State, e *model.Event) []string {
	var names []string
	for _, i := range e.Overdue {
		names = append(names, processName(s, &s.Processes[i]))
	}
	slices.Sort(names)
	return names
}

// timeout fills in what became of a context whose time is over, of which the process is
// the timer, and returns it in words. The step belongs to no process: the node does it.
func (n *namer) timeout(before *model.State, timer *model.Process, e *model.Event, step *model.TraceStep) string {
	op := e.Operation
	source := op.Source
	step.Operation, step.Source = op.Kind.String(), &source
	step.Arguments = []string{timerName(before, timer), n.duration(op.TTL)}
	return "the context of " + nameOf(before, timer, timer.Label>>8) + " times out"
}

// operation fills in what the process did and returns it in words.
func (n *namer) operation(before, after *model.State, p *model.Process, e *model.Event, step *model.TraceStep) string {
	op := e.Operation
	source := op.Source
	name := op.Kind.String()
	switch {
	case op.Mode&model.IfAbsent != 0:
		name = "SetNX"
	case op.Mode&model.IfPresent != 0:
		name = "SetXX"
	}
	step.Operation, step.Source = name, &source
	var args []string
	subject := ""
	if op.Kind.HasKey() {
		step.Key, subject = n.subject(op)
	}
	if op.Kind == model.StartWatch {
		args = append(args, n.watched(op.Keys, op.Local)...)
	}
	if op.Kind == model.RunScript {
		var data []model.Datum
		for _, k := range op.Results {
			data = append(data, p.Registers[k].Datum)
		}
		args = append(args, n.mention(before, n.learner.locals[p.Local].call.Text, data))
		for i, asked := range e.Asked {
			args = append(args, n.age(asked, e.Ages.Older(i)))
		}
	}
	if op.Arg != model.NoRegister {
		r := p.Registers[op.Arg]
		switch r.Kind {
		case model.KindTask:
			if t := before.Task(p, r.N); t >= 0 {
				args = append(args, processName(before, &before.Processes[t]))
			}
		case model.KindDeadline:
			args = append(args, n.duration(r.Limit))
		case model.KindFlight, model.KindStamp, model.KindContext:
		case model.KindWatch:
			args = append(args, n.watched(r.Watched())...)
		default:
			args = append(args, n.value(before, r.Datum))
		}
	}
	if op.Mode&model.KeepTTL != 0 {
		args = append(args, "KEEPTTL")
	}
	if op.TTL > 0 {
		args = append(args, n.duration(op.TTL))
	}
	if op.Age > 0 {
		args = append(args, n.duration(op.Age))
	}
	if op.Kind == model.Sleep || op.Kind == model.Compute {
		span := model.Range{Min: n.learner.tick.Duration(op.Min), Max: model.Unbounded}
		if op.Max < model.Forever {
			span.Max = n.learner.tick.Duration(op.Max)
		}
		args = append(args, span.Describe())
	}
	if op.Kind == model.Lock || op.Kind == model.AwaitWatch {
		if op.Max < model.Forever {
			args = append(args, n.duration(op.Max))
		}
	}
	if op.Kind == model.SourceRead && op.For != 0 {
		args = append(args, "for "+n.learner.keys[op.For-1].key)
	}
	if op.Kind == model.Choose {
		args = append(args, strconv.Itoa(int(op.Class)))
	}
	step.Arguments = args
	step.Observation = n.observation(after, e)
	text := name
	if op.Kind == model.EndContext {
		text = "cancels its context"
	}
	if subject != "" {
		text += " " + subject
	}
	if len(args) > 0 {
		text += " " + strings.Join(args, " ")
	}
	if step.Observation != "" && step.Observation != "ok" {
		text += " -> " + step.Observation
	}
	switch {
	case e.Stale:
		text += " (from a replica that lags)"
	case p.Phase == model.Sent:
		text += " (sent earlier)"
	case step.Kind == "effect" && op.Remote() && n.rules.ReplyMax > 0:
		// The process has not seen it yet.
		text += " (reply under way)"
	}
	return text
}

// age says whether what is under a key is as old as an atomic step has asked.
func (n *namer) age(asked model.Age, older bool) string {
	what := "not older than"
	if older {
		what = "older than"
	}
	return fmt.Sprintf("(%s %s %s)", n.learner.keys[asked.Key].key, what, n.duration(asked.Age))
}

func (n *namer) observation(s *model.State, e *model.Event) string {
	switch o := e.Observation; o.Code() {
	case model.Found:
		if e.Operation.Kind == model.Get || e.Operation.Kind == model.Increment {
			return n.value(s, e.Data[0])
		}
		switch e.Operation.Kind {
		case model.SourceRead, model.SourceUpdate, model.SourceWrite:
			return n.value(s, e.Data[0])
		}
		return "ok"
	case model.Cancelled:
		switch {
		case e.Operation.Kind == model.ReadContext:
			return "yes"
		case e.Reached:
			return "cancelled too late"
		case e.GoesOn:
			return "cancelled, and under way"
		}
		return o.Code().String()
	case model.Chosen:
		return strconv.Itoa(o.Choice())
	case model.Result:
		c := n.learner.classes[o.Class()]
		return n.mention(s, strings.TrimPrefix(c.text, fmt.Sprintf("%T ", c.value)), e.Data[:])
	default:
		if e.Operation.Kind == model.ReadContext {
			return "no"
		}
		return o.Code().String()
	}
}

// changes fills in what became of entries.
func (n *namer) changes(before, after *model.State, e *model.Event, step *model.TraceStep) {
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Before == c.After {
			continue
		}
		t := model.TraceChange{
			Key: n.key(c.Key), Before: n.value(before, c.Before.Value), After: n.value(after, c.After.Value),
			BeforeTTL: n.learner.tick.Duration(c.Before.TTL), AfterTTL: n.learner.tick.Duration(c.After.TTL),
			Since: n.since[c.Key],
		}
		if c.Before.Session != 0 {
			t.BeforeTTL = 0
		}
		if c.After.Session != 0 {
			t.AfterTTL = 0
		}
		if c.Before.Value.Kind == model.KindToken {
			t.Owner = n.owner(before.Serials[c.Before.Value.N])
		}
		if c.ByClock && c.After.Present() {
			t.AfterTTL = max(0, t.AfterTTL-(n.now-n.since[c.Key]))
			step.Changes = append(step.Changes, t)
			continue
		}
		n.since[c.Key] = n.now
		step.Changes = append(step.Changes, t)
	}
}

// marks adds the marks of a process, whose name is given if the step is not its
// own, and its return.
func (n *namer) marks(to []model.TraceMark, s *model.State, name string, process int, marks []model.Mark, ended bool) []model.TraceMark {
	kinds := [...]string{
		model.MarkToken: "token", model.MarkAcquired: "acquired", model.MarkReleasing: "releasing",
		model.MarkSpawn: "spawn", model.MarkKeep: "checkpoint", model.MarkRestart: "restart", model.MarkContext: "context",
	}
	for i := range marks {
		m := &marks[i]
		t := model.TraceMark{Process: name, Kind: kinds[m.Kind], Source: &m.Source}
		if m.Kind == model.MarkAcquired || m.Kind == model.MarkReleasing {
			t.Subject = n.key(m.Key)
		}
		to = append(to, t)
	}
	if ended {
		op := n.rules.Automaton.Operation(s.Processes[process].Local)
		to = append(to, model.TraceMark{Process: name, Kind: "return", Subject: n.learner.classes[op.Class].text})
	}
	return to
}

// tokens notes who created the tokens that came up in a step: whoever holds one
// first. A parent stands before what inherits from it.
func (n *namer) tokens(s *model.State) {
	for i := range s.Processes {
		p := &s.Processes[i]
		for _, r := range p.Held() {
			if r.Kind != model.KindToken {
				continue
			}
			serial := s.Serials[r.N]
			if n.owner(serial) == "" {
				n.own(serial, processName(s, p))
			}
		}
	}
}

// describe makes the steps of a trace out of a path. An arrival that was merged
// into an operation becomes a step of its own: the replay merges nothing.
func (x *explorer) describe(path []pathMove, instants []time.Duration, lengths seconds) []model.TraceStep {
	n := newNamer(x.rules, x.learner)
	var steps, arrivals []model.TraceStep
	for i := range path {
		m := &path[i]
		at := instants[i]
		n.tokens(&m.after)
		step := n.step(&m.before, &m.after, &m.event, at)
		if d := m.event.Drift; d.Drift != model.NoDrift {
			step.Second = lengths.length(nameClock(&m.after, d))
			step.Text += driftText(step.Second)
		}
		if p := arriving(&m.before, &m.event.Move); p != nil {
			arrival := model.Event{Move: model.Move{Kind: model.MoveArrive}, Node: int(p.Node), Process: m.event.Process}
			least := x.learner.tick.Duration(x.rules.Automaton.Operation(p.Local).Min)
			arrivals = append(arrivals, n.step(&m.before, &m.before, &arrival, at-least))
		}
		steps = append(steps, step)
	}
	return merge(arrivals, steps)
}

// merge puts the arrivals, of which nothing but the first operation of each
// depends, before the first step that is not earlier.
func merge(arrivals, steps []model.TraceStep) []model.TraceStep {
	slices.SortStableFunc(arrivals, func(a, b model.TraceStep) int { return cmp.Compare(a.Time, b.Time) })
	var all []model.TraceStep
	for _, s := range steps {
		for len(arrivals) > 0 && (arrivals[0].Time < s.Time || arrivals[0].Process == s.Process) {
			all = append(all, arrivals[0])
			arrivals = arrivals[1:]
		}
		all = append(all, s)
	}
	return append(all, arrivals...)
}
