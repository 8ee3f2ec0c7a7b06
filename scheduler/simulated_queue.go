package scheduler

// turn says that a process takes a step at a time, in ns.
type turn struct {
	at      int64
	process int32
}

// before orders turns: by time, and at the same time by the number of the process.
func (t turn) before(other turn) bool {
	return t.at < other.at || t.at == other.at && t.process < other.process
}

// queue is a heap of turns, the earliest first. Each turn has four below it, which
// makes a heap of a hundred thousand half as deep as one of pairs.
type queue []turn

func (q *queue) push(t turn) {
	*q = append(*q, t)
	q.up(len(*q) - 1)
}

func (q queue) up(i int) {
	t := q[i]
	for i > 0 {
		above := (i - 1) / 4
		if !t.before(q[above]) {
			break
		}
		q[i] = q[above]
		i = above
	}
	q[i] = t
}

// pop drops the earliest turn.
func (q *queue) pop() {
	h := *q
	last := len(h) - 1
	t := h[last]
	*q = h[:last]
	if last > 0 {
		q.replace(t)
	}
}

// replace puts a turn in the place of the earliest.
func (q queue) replace(t turn) { q.down(0, t) }

func (q queue) down(i int, t turn) {
	for {
		first := 4*i + 1
		if first >= len(q) {
			break
		}
		least := first
		for k := first + 1; k < min(first+4, len(q)); k++ {
			if q[k].before(q[least]) {
				least = k
			}
		}
		if !q[least].before(t) {
			break
		}
		q[i] = q[least]
		i = least
	}
	q[i] = t
}

// add puts many turns in at once.
func (q *queue) add(turns []turn) {
	if len(turns) < len(*q)/8 {
		for _, t := range turns {
			q.push(t)
		}
		return
	}
	*q = append(*q, turns...)
	for i := (len(*q) + 2) / 4; i >= 0; i-- {
		if i < len(*q) {
			q.down(i, (*q)[i])
		}
	}
}
