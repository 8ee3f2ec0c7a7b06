package scheduler

import (
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// codes returns what the processes of the scenario run.
func (s Scenario) codes() []code {
	all := []code{codeOf(s.Protocol)}
	for _, o := range s.Others {
		all = append(all, codeOf(o.Protocol))
	}
	return all
}

func codeOf(p protocol.Protocol) code {
	return code{
		model.Request: func(c *protocol.Client) any { return p.Handle(c) },
		model.Update: func(c *protocol.Client) any {
			if u, ok := p.(protocol.Updater); ok {
				u.Update(c)
			} else {
				protocol.UpdateSource(c)
			}
			return true
		},
		model.Boot: func(c *protocol.Client) any {
			if b, ok := p.(protocol.Booter); ok {
				b.Boot(c)
			}
			return true
		},
		model.Job: func(c *protocol.Client) any {
			if j, ok := p.(protocol.Jobber); ok {
				j.Job(c)
			}
			return true
		},
	}
}

// hasJob reports whether some node has a job.
func (s Scenario) hasJob() bool { return someNode[protocol.Jobber](s) }

// boots reports whether nodes do something when they start.
func (s Scenario) boots() bool { return someNode[protocol.Booter](s) }

// someNode reports whether the protocol of some node implements T.
func someNode[T any](s Scenario) bool {
	_, does := s.Protocol.(T)
	for _, o := range s.Others {
		_, other := o.Protocol.(T)
		does = does || other
	}
	return does
}

// durations returns the durations that the scenario knows: of its protocol's
// parameters, its faults and itself. Those that the protocol makes up are found as
// it is learned.
func (s Scenario) durations() []time.Duration {
	all := protocol.Durations(s.Protocol)
	for _, o := range s.Others {
		all = append(all, protocol.Durations(o.Protocol)...)
	}
	all = append(all, s.Latency.Min, s.Latency.Max, s.Reply.Min, s.Reply.Max, s.ValueTTL)
	for _, f := range s.Faults {
		all = append(all, f.Durations()...)
	}
	for _, d := range []*time.Duration{s.ArriveWithin, s.timeout(), s.within} {
		if d != nil {
			all = append(all, *d)
		}
	}
	return all
}

// timeout returns the timeout if a fault makes use of it, nil otherwise.
func (s Scenario) timeout() *time.Duration {
	for _, f := range s.Faults {
		if i, ok := f.(model.Interceptor); ok && f.Budget() > 0 && i.TimesOut() {
			return &s.Timeout
		}
	}
	return nil
}

// tick returns the tick that all durations that are known have in common.
func (s Scenario) tick() model.Tick { return model.Tick{}.With(s.durations()...) }

// world makes the rules and the code of the scenario for a tick. Monitors that need the
// names of keys are replaced by those that have them.
func (s Scenario) world(t model.Tick, monitors []model.Monitor, o Options) (*model.Rules, *learner, error) {
	l := newLearner(s.codes(), protocol.NewWorld(s.ValueTTL, s.Invalidate), t, s.Latency, o.Patience)
	r := &model.Rules{
		Boots: s.boots(), Endless: s.Endless,
		Automaton: l, Monitors: monitors, Replicas: s.Replicas,
		PauseWhenDue: !o.PauseAnyTime, MergeArrivals: !o.SeparateArrivals, MergeWaits: !o.SeparateWaits,
	}
	for i, m := range monitors {
		if _, ok := m.(model.Recording); ok {
			r.Records, r.MergeArrivals, r.MergeWaits = true, false, false
		}
		if named, ok := m.(model.Named); ok {
			monitors[i] = named.WithNames(l.name)
		}
		if windowed, ok := monitors[i].(model.Windowed); ok {
			r.Windows = windowed
		}
	}
	var err error
	for _, d := range []struct {
		to   *model.Ticks
		from time.Duration
	}{{&r.ReplyMin, s.Reply.Min}, {&r.ReplyMax, s.Reply.Max}} {
		if *d.to, err = t.Ticks(d.from); err != nil {
			return nil, nil, about(err, "reply")
		}
	}
	for _, d := range protocol.Durations(s.Protocol) {
		if _, err := t.Ticks(d); err != nil {
			return nil, nil, about(err)
		}
	}
	for _, d := range []struct {
		setting string
		value   time.Duration
	}{{"latency", s.Latency.Max}, {"value-ttl", s.ValueTTL}} {
		if _, err := t.Ticks(d.value); err != nil {
			return nil, nil, about(err, d.setting)
		}
	}
	if timeout := s.timeout(); timeout != nil {
		var err error
		if r.Timeout, err = t.Ticks(*timeout); err != nil {
			return nil, nil, about(err, "timeout")
		}
	}
	if s.ArriveWithin != nil {
		window, err := t.Ticks(*s.ArriveWithin)
		if err != nil {
			return nil, nil, about(err, "arrive-within")
		}
		r.Window = &window
	}
	if s.within != nil {
		longest, err := t.Ticks(*s.within)
		if err != nil {
			return nil, nil, about(err)
		}
		// The longest wait of all is a whole number of ticks.
		r.Patience, r.Watching = longest+1, s.watches
	}
	for _, f := range s.Faults {
		resolved, err := f.Resolve(t)
		if err != nil {
			return nil, nil, about(err, f.Name())
		}
		if f.Budget() == 0 {
			continue
		}
		r.AddFault(resolved)
	}
	r.Roots = s.roots()
	return r, l, nil
}

// roots is how many processes there are at the beginning.
func (s Scenario) roots() int {
	who := s.population()
	services := who.Nodes() - who.Updates
	n := who.Updates + services*(who.Requests+who.Jobs)
	if s.boots() {
		n += services
	}
	return n
}

func (s Scenario) population() model.Population {
	who := model.Population{Services: s.Nodes, Requests: s.Requests, Updates: s.Updates, Jobs: s.Jobs}
	for _, o := range s.Others {
		who.Others = append(who.Others, o.Nodes)
	}
	return who
}
