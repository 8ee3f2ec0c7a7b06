package model

import (
	"slices"
	"testing"
)

// in is a register of the context of that number, which those contexts end; of one that is
// done, if there are none.
func in(number uint8, ends ...uint8) Register {
	reg := Register{Datum: Datum{Kind: KindContext, N: number}}
	for _, n := range ends {
		reg.Limit |= 1 << n << contextBits
	}
	if len(ends) == 0 {
		reg.Limit = contextDone
	}
	return reg
}

// holding is a process of a family in a phase.
func holding(family uint8, phase Phase, registers ...Register) Process {
	p := Process{Family: family, Phase: phase, Count: uint8(len(registers))}
	copy(p.Registers[:], registers)
	return p
}

// Equal states look equal: contexts have numbers in the order in which they are mentioned,
// and what can end none any more is not mentioned.
func TestContextsThatMeanTheSameLookTheSame(t *testing.T) {
	timer := func(number uint8, ends ...uint8) Process { return holding(0, Timing, in(number, ends...)) }
	for _, c := range []struct {
		rule         string
		before, want []Process
		gone         int // timers
		left         bool
	}{
		{
			"numbers are given by first mention, in each family",
			[]Process{holding(0, Acting, in(5, 0, 5), in(2, 0, 5, 2)), holding(0, Acting, in(2, 0, 5, 2)), holding(1, Acting, in(3, 0, 3))},
			[]Process{holding(0, Acting, in(1, 0, 1), in(2, 0, 1, 2)), holding(0, Acting, in(2, 0, 1, 2)), holding(1, Acting, in(1, 0, 1))}, 0, true,
		}, {
			"one above that nobody can end any more is forgotten",
			[]Process{holding(0, Acting, in(3, 0, 1, 3))},
			[]Process{holding(0, Acting, in(1, 0, 1))}, 0, true,
		}, {
			"unless its timer can",
			[]Process{holding(0, Acting, in(3, 0, 1, 3)), timer(1, 0, 1)},
			[]Process{holding(0, Acting, in(1, 0, 1, 2)), timer(2, 0, 2)}, 0, true,
		}, {
			"a timer goes when nobody is in its context",
			[]Process{holding(0, Acting, in(1, 0, 1)), timer(2, 0, 1, 2), timer(1, 0, 1)},
			[]Process{holding(0, Acting, in(1, 0, 1)), holding(0, Ended), timer(1, 0, 1)}, 1, true,
		}, {
			"that of another family does not keep it",
			[]Process{holding(0, Acting), timer(2, 0, 2), holding(1, Acting, in(2, 0, 2))},
			[]Process{holding(0, Acting), holding(0, Ended), holding(1, Acting, in(1, 0, 1))}, 1, true,
		}, {
			"what is done has no number, but is referred to",
			[]Process{holding(0, Acting, in(0), in(4, 4))},
			[]Process{holding(0, Acting, in(0), in(1, 1))}, 0, true,
		}, {
			"nothing is left when nobody refers to any",
			[]Process{holding(0, Acting), timer(1, 0, 1)},
			[]Process{holding(0, Acting), holding(0, Ended)}, 1, false,
		},
	} {
		s := State{Processes: slices.Clone(c.before), Contexts: true}
		s.tidyContexts()
		if !slices.Equal(s.Processes, c.want) {
			t.Errorf("%s:\n%+v", c.rule, s.Processes)
		}
		if s.Contexts != c.left {
			t.Errorf("%s: some are left: %t", c.rule, s.Contexts)
		}
		r := &Rules{}
		s.Copy(&State{Processes: c.before, Contexts: true})
		r.Canonical(&s, nil, false, nil)
		if got := len(c.before) - len(s.Processes); got != c.gone {
			t.Errorf("%s: %d processes are gone in canonical form", c.rule, got)
		}
	}
}
