package page

import (
	"slices"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline/internal/run"
)

// layout returns the rows of the chart, from top to bottom.
func (c *chart) layout() []row {
	locks := c.locks()
	var rows []row
	group := func(name string, members []row) {
		if len(members) > 0 {
			rows = append(append(rows, row{label: name, height: 24, heading: true}), members...)
		}
	}
	var members []row
	for _, key := range locks {
		members = append(members, c.lock(key)...)
	}
	group("Locks", members)
	members = nil
	for k, key := range c.keys {
		if !slices.Contains(locks, key) {
			members = append(members, c.value(k))
		}
	}
	if slices.ContainsFunc(c.trace.Steps, func(s model.TraceStep) bool { return strings.HasPrefix(s.Operation, "Source.") }) {
		members = append(members, c.source())
	}
	group("Values", members)
	members = nil
	for n := range c.nodes {
		members = append(members, c.node(n)...)
	}
	group("Nodes", members)
	group("Faults of stores", c.stores())
	return append(rows, c.others()...)
}

func storeOf(key string) string {
	store, _, found := strings.Cut(key, "/")
	if !found {
		return ""
	}
	return store
}

// lock has who holds the lock according to the store, who believes to hold it, and where more
// than one does.
func (c *chart) lock(key string) []row {
	name := c.name(key)
	var rows []row
	if k := slices.Index(c.keys, key); k >= 0 {
		rows = append(rows, row{label: name, detail: "in the " + storeOf(key), height: 42, draw: func(v *canvas, y float64) {
			c.baseline(v, y+21)
			for _, s := range c.holdings(k) {
				c.held(v, k, s, y+6, 30)
			}
			c.markers(v, y+21, none, about(key))
		}})
	}
	for _, p := range c.believers(key) {
		who := c.processes[p]
		rows = append(rows, row{label: who + " believes", height: 28, draw: func(v *canvas, y float64) {
			c.baseline(v, y+14)
			for _, s := range c.beliefs(p, key) {
				c.belief(v, who, name, s, y+4, 20)
			}
		}})
	}
	if conflicts := c.conflicts(key); len(conflicts) > 0 {
		rows = append(rows, row{label: "conflict", height: 26, draw: func(v *canvas, y float64) {
			for _, s := range conflicts {
				x, width := c.extent(s)
				v.rect("conflict", s.text+" believe at once to hold "+name, x, y+3, width, 18, "rx", "3")
				v.fit("conflict-text", x+6, y+16, width-10, "⚠ "+s.text+" at once", "⚠ both at once", "⚠ both", "⚠")
			}
		}})
	}
	return rows
}

// about says whether a step is about a key and nobody does it: an expiry, an eviction.
func about(key string) func(*model.TraceStep) bool {
	return func(s *model.TraceStep) bool { return s.Node == "" && s.Key == key && key != "" }
}

// value has what a cache holds.
func (c *chart) value(k int) row {
	key := c.keys[k]
	detail := ""
	if store := storeOf(key); store != "" {
		detail = "in the " + store
	}
	return row{label: c.name(key), detail: detail, height: 38, draw: func(v *canvas, y float64) {
		c.baseline(v, y+19)
		for _, s := range c.holdings(k) {
			c.cached(v, k, s, y+6, 26)
		}
		c.markers(v, y+19, none, about(key))
	}}
}

// node has what runs on a node, what stops it, and its steps. Where several processes of it take
// steps each has a row of its own, below what happens to the node as a whole.
func (c *chart) node(n int) []row {
	name := c.nodes[n]
	struck := c.strikes("", name)
	for _, store := range c.storeNames() {
		struck = append(struck, c.strikes(store, name)...)
	}
	detail := "node"
	if strings.HasPrefix(name, "u") {
		detail = "update"
	}
	acting := c.acting(name)
	if len(acting) < 2 {
		acting = nil
	}
	of := func(s *model.TraceStep) bool {
		return s.Node == name && !slices.ContainsFunc(acting, func(p int) bool { return c.processes[p] == s.Process })
	}
	middle, height := 20.0, 48.0
	if acting != nil && !slices.ContainsFunc(c.trace.Steps, func(s model.TraceStep) bool { return of(&s) }) {
		middle, height = 16, 34
	}
	rows := []row{{label: name, detail: detail, height: height, draw: func(v *canvas, y float64) {
		c.baseline(v, y+middle)
		c.active(v, name, y+middle, func(p int) bool { return acting == nil && run.On(c.processes[p], name) })
		c.halted(v, n, y+middle)
		for _, s := range struck {
			c.struck(v, s, y+height)
		}
		c.markers(v, y+middle, c.caption, of)
	}}}
	if len(struck) > 0 {
		rows[0].height += 18
	}
	for _, lane := range c.lanesOf(acting) {
		who, detail := c.processes[lane[0]], "request"
		if !run.Root(who) {
			detail = "spawned"
		}
		if len(lane) > 1 {
			who, detail = who+" to "+c.processes[lane[len(lane)-1]], "in turn"
		}
		rows = append(rows, row{label: who, detail: detail, height: 48, draw: func(v *canvas, y float64) {
			c.baseline(v, y+20)
			c.active(v, name, y+20, func(q int) bool { return slices.Contains(lane, q) })
			c.halted(v, n, y+20)
			c.markers(v, y+20, c.what, func(s *model.TraceStep) bool {
				return slices.ContainsFunc(lane, func(p int) bool { return c.processes[p] == s.Process })
			})
		}})
	}
	return rows
}

// lanesOf returns which of some processes share a lane: where requests are endless, those that come
// one after the other, spawned ones apart.
func (c *chart) lanesOf(acting []int) [][]int {
	var lanes [][]int
	var until []int // the last step of each lane
	for _, p := range acting {
		from, to := len(c.moments), 0
		for i := range c.moments {
			if c.trace.Steps[i].Process == c.processes[p] || c.moments[i].processes[p].status.alive() {
				from, to = min(from, i), i
			}
		}
		at := 0
		for at < len(lanes) && (!c.trace.Bounds.Endless || until[at] >= from || run.Root(c.processes[lanes[at][0]]) != run.Root(c.processes[p])) {
			at++
		}
		if at == len(lanes) {
			lanes, until = append(lanes, nil), append(until, 0)
		}
		lanes[at], until[at] = append(lanes[at], p), to
	}
	return lanes
}

// acting are the processes of a node that take steps, in the order in which they first do.
func (c *chart) acting(node string) []int {
	var all []int
	for p, who := range c.processes {
		takes := func(s model.TraceStep) bool { return s.Process == who && s.Node == node }
		if run.On(who, node) && slices.ContainsFunc(c.trace.Steps, takes) {
			all = append(all, p)
		}
	}
	return all
}

// storeNames are the stores that a fault strikes as a whole, in the order in which that happens.
func (s *story) storeNames() []string {
	var names []string
	for i := range s.trace.Steps {
		if store := run.Store(&s.trace.Steps[i]); store != "" && !slices.Contains(names, store) {
			names = append(names, store)
		}
	}
	return names
}

// stores has a row for each store that a fault strikes for every node.
func (c *chart) stores() []row {
	var rows []row
	for _, store := range c.storeNames() {
		of := func(s *model.TraceStep) bool { return s.Node == "" && s.Key == "" && run.Store(s) == store }
		if !slices.ContainsFunc(c.trace.Steps, func(s model.TraceStep) bool { return of(&s) }) {
			continue
		}
		rows = append(rows, row{label: store, detail: "as a whole", height: 66, draw: func(v *canvas, y float64) {
			c.baseline(v, y+20)
			for _, s := range c.strikes(store, "") {
				c.struck(v, s, y+48)
			}
			c.markers(v, y+20, c.caption, of)
		}})
	}
	return rows
}

// others has the steps that belong to no other row.
func (c *chart) others() []row {
	is := func(s *model.TraceStep) bool {
		switch {
		case s.Node != "":
			return !slices.Contains(c.nodes, s.Node)
		case s.Key != "":
			return !slices.Contains(c.keys, s.Key)
		}
		return run.Store(s) == ""
	}
	if !slices.ContainsFunc(c.trace.Steps, func(s model.TraceStep) bool { return is(&s) }) {
		return nil
	}
	return []row{{label: "other", height: 44, draw: func(v *canvas, y float64) {
		c.baseline(v, y+20)
		c.markers(v, y+20, c.caption, is)
	}}}
}

// source has the version of the source.
func (c *chart) source() row {
	return row{label: "source", detail: "version", height: 38, draw: func(v *canvas, y float64) {
		for _, s := range c.spans(func(i int) string { return version(c.moments[i].source) }) {
			x, width := c.extent(s)
			v.rect("value", "the source has "+s.text, x, y+6, width, 26, "rx", "3")
			v.fit("bar-text", x+7, y+23, width-8, s.text)
		}
	}}
}
