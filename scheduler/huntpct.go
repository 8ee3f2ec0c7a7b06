package scheduler

import (
	"math"
	"slices"
)

// orderEvery: one of so many runs of PCT is as early as possible and without faults; see
// [PCTBound].
const orderEvery = 4

// PCTGuarantee is what PCT says of runs that found nothing: each of Runs would have found a
// violation of the depth with the probability Bound at least, and at least one of them with
// AnyRun. One in four runs of PCT is of this kind: as early as possible, without faults, and time
// passes in it only if nobody can do anything before. So until then it is the algorithm of the
// paper, for the threads and as many steps as there were at most in these runs; the bound is about
// violations that happen until then, and need nothing but an order of the steps. It is none for
// what needs time or faults, and where replies or choices are drawn, too, it is one under the
// condition that they are drawn as needed.
type PCTGuarantee struct {
	Runs    int     `json:"runs"`
	Threads int     `json:"threads"`
	Steps   int     `json:"steps"`
	Depth   int     `json:"depth"`
	Bound   float64 `json:"bound"`
	AnyRun  float64 `json:"any_run"`
}

// PCTBound returns the bound of Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized
// Scheduler with Probabilistic Guarantees of Finding Bugs" (ASPLOS 2010): the least
// probability with which one run of PCT finds a bug of the depth in a program of n threads
// and at most k steps, 1/(n*k^(depth-1)).
func PCTBound(threads, steps, depth int) float64 {
	return 1 / (float64(threads) * math.Pow(float64(steps), float64(depth-1)))
}

// anyRun returns the probability with which one of so many runs at least finds what each of
// them finds with the bound.
func anyRun(bound float64, runs int) float64 {
	return -math.Expm1(float64(runs) * math.Log1p(-min(bound, 1)))
}

type rank struct {
	thread   huntThread
	priority uint64
}

// highest returns the group whose thread has the highest priority, and lowers that if this is
// a step at which it changes. In a run that bounds count for time passes only if nobody can do
// anything before.
func (p *huntPlan) highest(w *huntWorld, step int) group {
	best, at := -1, 0
	now := false
	for i, g := range p.groups {
		early := p.inOrder && slices.ContainsFunc(w.options[g.from:g.to], func(o huntOption) bool { return o.least == 0 })
		k := p.rankOf(w.options[g.from].thread)
		if best < 0 || early && !now || early == now && p.ranks[k].priority > p.ranks[at].priority {
			best, at, now = i, k, early
		}
	}
	for i, change := range p.changes {
		if change == step {
			p.ranks[at].priority = uint64(i + 1)
		}
	}
	g := p.groups[best]
	if now {
		// Only what is possible now.
		kept := g.from
		for i := g.from; i < g.to; i++ {
			if w.options[i].least == 0 {
				w.options[kept] = w.options[i]
				kept++
			}
		}
		g.to = kept
	}
	return g
}

// rankOf returns where the priority of a thread is, which is drawn when it is first met.
func (p *huntPlan) rankOf(t huntThread) int {
	for k := range p.ranks {
		if p.ranks[k].thread == t {
			return k
		}
	}
	p.ranks = append(p.ranks, rank{t, p.random.Uint64() | 1<<32})
	return len(p.ranks) - 1
}
