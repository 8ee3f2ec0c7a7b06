package scheduler

import "lockstep/model"

// mostBoots is how often a node of a simulation can start, if its protocol does something then:
// it is started again less often by one.
const mostBoots = 16

// others are the roots of a run besides requests and updates: the runs of the job of each node, in
// turn, and the starts of each node.
type others struct {
	// asked is how many requests there are, jobs which root is the first of a job, boots
	// which is the first of a start.
	asked, jobs, boots int
	// starts are how often each node has started.
	starts []uint8
	// programs of those who have not arrived.
	job, boot shapeID
}

// enlist lets jobs and starts arrive, at the beginning.
func (m *simulator) enlist() {
	c, o := m.config, &m.others
	for k := range c.Nodes * c.Jobs {
		m.enroll(int32(o.jobs+k), int32(k%c.Nodes), 0, o.job)
	}
	o.starts = o.starts[:0]
	if !m.rules.Boots {
		return
	}
	o.starts = append(o.starts, make([]uint8, c.Nodes)...)
	for k := range c.Nodes * mostBoots {
		m.families[o.boots+k] = kin{first: -1, node: int32(k / mostBoots)}
		m.actors[o.boots+k].gone = true
	}
	for n := range c.Nodes {
		m.enroll(m.bootOf(int32(n)), int32(n), 0, o.boot)
		m.places[n].booting = true
	}
}

// bootOf returns the root of the next start of a node.
func (m *simulator) bootOf(node int32) int32 {
	o := &m.others
	o.starts[node]++
	return int32(o.boots) + node*mostBoots + int32(o.starts[node]) - 1
}

// startsAgain reports whether a node can start once more.
func (m *simulator) startsAgain(node int32) bool {
	return !m.rules.Boots || m.others.starts[node] < mostBoots
}

// boot makes room for the process of a node that starts again.
func (m *simulator) boot(p *model.Process) int32 {
	node := m.step.nodes[p.Node]
	root := m.bootOf(node)
	m.actors[root] = actor{due: notDue, root: root, next: -1}
	m.actors[root].random.Seed(m.seed, seedOf(m.seed, processStream, uint64(root), 0))
	m.families[root] = kin{first: root, node: node, arrives: m.now}
	m.places[node].booting = true
	m.arrives(root)
	return root
}

// waitsForBoot lets a process that arrives wait until its node has started.
func (m *simulator) waitsForBoot(process int32, a *actor) {
	m.queue.pop()
	a.due = notDue
	at := &m.places[m.families[process].node]
	at.early = append(at.early, process)
}

// booted lets those arrive who have waited for their node to start, if it was the process that
// has started it.
func (m *simulator) booted(process int32) {
	if int(process) < m.others.boots || int(process) >= m.roots || !m.actors[process].gone {
		return
	}
	at := &m.places[m.families[process].node]
	at.booting = false
	for _, early := range at.early {
		if a := &m.actors[early]; !a.gone {
			a.due = m.now
			m.queue.push(turn{a.due, early})
		}
	}
	at.early = at.early[:0]
}

// roleOf returns the role of a root, and its number on its node.
func (m *simulator) roleOf(root int32) (role model.Role, node, number int) {
	c, o := m.config, &m.others
	n := int(root)
	switch {
	case n < o.asked:
		return model.Request, n % c.Nodes, n / c.Nodes
	case n < o.jobs:
		return model.Update, n - o.asked, 0
	case n < o.boots:
		return model.Job, (n - o.jobs) % c.Nodes, (n - o.jobs) / c.Nodes
	}
	return model.Boot, (n - o.boots) / mostBoots, 0
}
