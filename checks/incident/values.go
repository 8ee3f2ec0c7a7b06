package incident

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// store is a write of a value.
func (a *auditor) store(c *Command, by *client, key string, i *item, found *item) {
	s := &storing{key: key, line: c.Line, at: a.now, holding: by.holding}
	if found != nil {
		if s.before = found.stored; s.before != nil && s.before.before != nil {
			// What came before that cannot matter any more.
			s.before.before.before = nil
		}
	} else {
		a.concluded(key)
	}
	i.stored = s
	a.keys.set(key, i)
	if s.holding != nil {
		a.stored(s)
		return
	}
	if by.pending = append(by.pending, s); len(by.pending) > maxPending {
		by.pending = by.pending[1:]
	}
}

// stored tells what is wrong with a write, once it is known under which lock it was done.
func (a *auditor) stored(s *storing) {
	h := s.holding
	if len(h.reads) == 0 {
		// It has computed nothing: this is no rebuild.
		return
	}
	a.rebuild(s)
	if !h.released && !h.doubtful && (h.over || a.expired(h, s.at)) {
		ended := fmt.Sprintf("ran out at %s", clock(a.endOf(h)))
		if h.ended > 0 {
			ended = fmt.Sprintf("was taken away in line %d", h.ended)
		}
		if h.next == nil || h.next.line > s.line {
			a.find(WriteAfterLoss, s.key, s.at, []int{h.line, s.line}, fmt.Sprintf("%s stored %s in line %d, %s after its lock %s", who(h), s.key, s.line, s.at.Sub(a.endOf(h)).Round(time.Millisecond), ended))
		} else {
			a.overlap(h, s.line, s.at, "stored "+s.key)
		}
	}
	p := s.before
	if p == nil || p.holding == nil || p.holding == h {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(h.reads)) {
		mine, ok := p.holding.reads[key]
		if old := h.reads[key]; ok && key != s.key && old.version < mine.version {
			a.find(StaleOverwrite, s.key, s.at, []int{old.line, mine.line, p.line, s.line}, fmt.Sprintf(
				"%s stored %s in line %d from what it had read of %s in line %d; that was older than what %s had read in line %d, and stored in line %d",
				who(h), s.key, s.line, key, old.line, who(p.holding), mine.line, p.line))
			return
		}
	}
}
