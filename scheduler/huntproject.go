package scheduler

import (
	"cmp"
	"slices"

	"lockstep/model"
)

// huntCast says who takes part in a run: the processes that have arrived, in order.
type huntCast []huntName

// castOf returns that of a run.
func castOf(choices []huntChoice) huntCast {
	var c huntCast
	for i := range choices {
		if choices[i].kind == model.MoveArrive {
			if n := choices[i].who.root(); n.role != model.Boot && !slices.Contains(c, n) {
				c = append(c, n)
			}
		}
	}
	slices.SortFunc(c, func(a, b huntName) int {
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.node, b.node), cmp.Compare(a.role, b.role), cmp.Compare(a.request, b.request))
	})
	return c
}

// variant returns which of the scenario's protocols a service node runs.
func (s Scenario) variant(node uint8) int {
	first := s.Nodes
	for i := range s.Others {
		if int(node) < first {
			return i
		}
		first += s.Others[i].Nodes
	}
	return len(s.Others)
}

// huntProjection takes a run to a smaller scenario: nodes and requests have other numbers
// there.
type huntProjection struct {
	scenario Scenario
	to       map[huntName]huntName
}

// project returns the smallest scenario like s in which all of the cast can take part. If
// spread is set, each request is on a node of its own.
func (c huntCast) project(s Scenario, spread bool) huntProjection {
	p := huntProjection{s, map[huntName]huntName{}}
	small := &p.scenario
	counts := make([]int, 1+len(s.Others))
	small.Updates, small.Requests, small.Jobs = 0, 1, 0
	if s.Endless {
		small.Requests = s.Requests
	}
	type place struct {
		variant, index int
		taken          [2]int // requests and jobs
	}
	places := map[huntName]*place{}
	var order []huntName
	for _, n := range c {
		node := huntName{of: aNode, class: n.class, node: n.node}
		if n.class == model.Updater {
			to := node
			to.node = uint8(small.Updates)
			p.to[node] = to
			to.of, to.role, to.request = aProcess, n.role, n.request
			p.to[n] = to
			small.Updates++
			continue
		}
		where := node
		if spread {
			where = n
		}
		at := places[where]
		if at == nil {
			v := s.variant(n.node)
			at = &place{variant: v, index: counts[v]}
			counts[v]++
			places[where] = at
		}
		order = append(order, n)
	}
	small.Nodes = max(counts[0], 1)
	small.Others = nil
	firsts := []int{0}
	at := small.Nodes
	for i, o := range s.Others {
		firsts = append(firsts, at)
		if o.Nodes = counts[i+1]; o.Nodes > 0 {
			small.Others = append(small.Others, o)
		}
		at += o.Nodes
	}
	for _, n := range order {
		node := huntName{of: aNode, class: n.class, node: n.node}
		where := node
		if spread {
			where = n
		}
		pl := places[where]
		to := huntName{of: aNode, class: n.class, node: uint8(firsts[pl.variant] + pl.index)}
		p.to[node] = to
		boot := node
		boot.of, boot.role = aProcess, model.Boot
		toBoot := to
		toBoot.of, toBoot.role = aProcess, model.Boot
		p.to[boot] = toBoot
		to.of, to.role, to.request = aProcess, n.role, n.request
		if !s.Endless {
			kind := 0
			if n.role == model.Job {
				kind = 1
			}
			to.request = uint16(pl.taken[kind])
			pl.taken[kind]++
			if kind == 1 {
				small.Jobs = max(small.Jobs, pl.taken[kind])
			} else {
				small.Requests = max(small.Requests, pl.taken[kind])
			}
		} else if n.role == model.Job {
			small.Jobs = s.Jobs
		}
		p.to[n] = to
	}
	return p
}

// choices takes those of a run to the smaller scenario, without those of whoever is not
// there.
func (p *huntProjection) choices(all []huntChoice) []huntChoice {
	var kept []huntChoice
	for _, c := range all {
		if c.who.of != nobody {
			to, ok := p.to[c.who.root()]
			if !ok {
				continue
			}
			to.label, to.sent = c.who.label, c.who.sent
			c.who = to
		}
		kept = append(kept, c)
	}
	return kept
}
