package scheduler_test

import "slices"

// shrink makes a failing setting smaller as long as it fails in some way.
func shrink(s *setting, err error) (*setting, error) {
	for smaller := true; smaller; {
		smaller = false
		for _, c := range s.smaller() {
			if _, e := compare(c); e != nil {
				s, err, smaller = c, e, true
				break
			}
		}
	}
	return s, err
}

func (s *setting) copy() *setting {
	c := *s
	c.programs = make(programs, len(s.programs))
	for i := range s.programs {
		c.programs[i] = slices.Clone(s.programs[i])
	}
	return &c
}

// smaller returns settings that are a little smaller.
func (s *setting) smaller() []*setting {
	var all []*setting
	try := func(change func(c *setting)) {
		c := s.copy()
		change(c)
		for n := range c.programs {
			c.programs[n] = c.programs[n].endsEveryLoop()
		}
		all = append(all, c)
	}
	lower := func(get func(c *setting) *int, least int) {
		if *get(s) > least {
			try(func(c *setting) { *get(c) = least })
			try(func(c *setting) { *get(c)-- })
		}
	}
	lower(func(c *setting) *int { return &c.updates }, 0)
	lower(func(c *setting) *int { return &c.nodes }, 1)
	lower(func(c *setting) *int { return &c.requests }, 1)
	lower(func(c *setting) *int { return &c.valueTTL }, 0)
	lower(func(c *setting) *int { return &c.crashes }, 0)
	lower(func(c *setting) *int { return &c.pauses }, 0)
	if s.pauses > 0 {
		lower(func(c *setting) *int { return &c.pauseMax }, 1)
	}
	for k := range s.budget {
		lower(func(c *setting) *int { return &c.budget[k] }, 0)
	}
	lower(func(c *setting) *int { return &c.lag }, 0)
	lower(func(c *setting) *int { return &c.timeout }, 0)
	lower(func(c *setting) *int { return &c.outage }, 1)
	lower(func(c *setting) *int { return &c.late }, 1)
	lower(func(c *setting) *int { return &c.step }, 1)
	lower(func(c *setting) *int { return &c.downLeast }, 0)
	lower(func(c *setting) *int { return &c.replicas }, 0)
	lower(func(c *setting) *int { return &c.jobs }, 0)
	lower(func(c *setting) *int { return &c.others }, 0)
	if s.independent {
		try(func(c *setting) { c.independent = false })
	}
	if s.boots {
		try(func(c *setting) { c.boots = false })
	}
	if s.latMax > 0 {
		try(func(c *setting) { c.latMin, c.latMax = 0, 0 })
		try(func(c *setting) { c.latMin, c.latMax = 0, 1 })
	}
	if s.replyMax > 0 {
		try(func(c *setting) { c.replyMin, c.replyMax = 0, 0 })
	}
	lower(func(c *setting) *int { return &c.patience }, -1)
	lower(func(c *setting) *int { return &c.window }, -1)
	if s.invalidate {
		try(func(c *setting) { c.invalidate = false })
	}
	for n := range s.programs {
		for i := range s.programs[n] {
			try(func(c *setting) { c.programs[n] = c.programs[n].without(i) })
			in := s.programs[n][i]
			if in.min < in.max {
				try(func(c *setting) { c.programs[n][i].max-- })
				try(func(c *setting) { c.programs[n][i].min++ })
			}
			if in.min > 0 {
				try(func(c *setting) { c.programs[n][i].min--; c.programs[n][i].max-- })
			}
			if in.ttl > 0 && in.verb != vDeadline && in.verb != vReplicas || in.ttl > 1 {
				try(func(c *setting) { c.programs[n][i].ttl-- })
			}
			if in.detached {
				try(func(c *setting) { c.programs[n][i].detached = false })
			}
			if in.within > 0 {
				try(func(c *setting) { c.programs[n][i].within = 0 })
				try(func(c *setting) { c.programs[n][i].within-- })
			}
			if in.n > 0 && in.verb != vGo && !(in.n == 1 && in.verb == vReplicas) {
				try(func(c *setting) { c.programs[n][i].n-- })
			}
			if in.keepTTL || in.valueTTL {
				try(func(c *setting) { c.programs[n][i].keepTTL, c.programs[n][i].valueTTL = false, false })
			}
		}
	}
	// A change that changes nothing would go on for ever.
	return slices.DeleteFunc(all, func(c *setting) bool { return c.String() == s.String() })
}
