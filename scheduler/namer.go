package scheduler

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"time"

	"lockstep/model"
	"lockstep/protocol"
)

// namer gives the names of a trace to what happens in a run: it lives as long as
// the run.
type namer struct {
	rules   *model.Rules
	learner *learner
	owners  []string                // by serial number of a token; empty for one that is not known
	since   map[model.KeyID]instant // when a key was last set or renewed
	now     time.Duration
}

type instant = time.Duration

func newNamer(r *model.Rules, l *learner) *namer {
	return &namer{rules: r, learner: l, since: map[model.KeyID]instant{}}
}

// clone returns a copy that is left alone by what is named from now on.
func (n *namer) clone() *namer {
	c := *n
	// Owners are added at the end, which the other does not see, or in a copy of its own.
	c.since = maps.Clone(n.since)
	return &c
}

// owner returns the process that created the token of a serial number, empty if that is not known.
func (n *namer) owner(serial uint16) string {
	if int(serial) < len(n.owners) {
		return n.owners[serial]
	}
	return ""
}

// own notes it.
func (n *namer) own(serial uint16, process string) {
	if int(serial) < len(n.owners) {
		n.owners = slices.Clone(n.owners)
	}
	for int(serial) >= len(n.owners) {
		n.owners = append(n.owners, "")
	}
	n.owners[serial] = process
}

// roleNames tell processes of roles from requests and updates, which have nodes of their
// own.
var roleNames = [...]string{model.Request: "", model.Update: "", model.Boot: "boot", model.Job: "job"}

// arrivals say what it is that arrives, by role.
var arrivals = [...]string{model.Request: "the request arrives", model.Update: "the update begins", model.Boot: "the node starts", model.Job: "the job begins"}

func nodeName(n *model.Node) string {
	if n.Class == model.Updater {
		return fmt.Sprintf("u%d", n.Label)
	}
	return fmt.Sprintf("n%d", n.Label)
}

// processName is n0/0 for a request, n0/0.1 for what it spawned first, n0/0.1.1 for
// what that spawned first.
func processName(s *model.State, p *model.Process) string {
	if p.Phase == model.Timing {
		return timerName(s, p)
	}
	return nameOf(s, p, p.Label)
}

// timerName names the timer of a context by the process that opened it, and a number.
func timerName(s *model.State, p *model.Process) string {
	return fmt.Sprintf("context %d of %s", p.Label&0xff, nameOf(s, p, p.Label>>8))
}

func nameOf(s *model.State, p *model.Process, label uint32) string {
	name := fmt.Sprintf("%s/%s%d", nodeName(&s.Nodes[p.Node]), roleNames[p.Role], p.Request)
	for shift := 24; shift >= 0; shift -= 8 {
		if n := label >> shift & 0xff; n != 0 {
			name += fmt.Sprintf(".%d", n)
		}
	}
	return name
}

func (n *namer) value(s *model.State, d model.Datum) string {
	switch d.Kind {
	case model.KindVersion:
		if d.For != 0 {
			return fmt.Sprintf("v%d of %s", d.N, n.learner.keys[d.For-1].key)
		}
		return fmt.Sprintf("v%d", d.N)
	case model.KindToken:
		return fmt.Sprintf("#%d", s.Serials[d.N])
	case model.KindCounter:
		return fmt.Sprint(d.N)
	case model.KindTask:
		return "task"
	case model.KindDeadline:
		return "deadline"
	case model.KindStamp:
		return "time"
	case model.KindList:
		if d.N == 1 {
			return "1 element"
		}
		return fmt.Sprintf("%d elements", d.N)
	}
	return ""
}

// subject returns the key of an operation with the store that it is in, and without.
func (n *namer) subject(op *model.Operation) (full, short string) {
	if op.Local {
		return protocol.MemoryName + "/" + n.learner.memory[op.Key], n.learner.memory[op.Key]
	}
	return n.key(op.Key), n.learner.keys[op.Key].key
}

// watched returns the keys that have a bit, in order.
func (n *namer) watched(keys uint16, local bool) []string {
	names := n.learner.memory
	if !local {
		names = nil
		for _, k := range n.learner.keys {
			names = append(names, k.key)
		}
	}
	var list []string
	for k, name := range names {
		if keys&(1<<k) != 0 {
			list = append(list, name)
		}
	}
	return list
}

func (n *namer) key(k model.KeyID) string {
	return n.learner.keys[k].store + "/" + n.learner.keys[k].key
}

func (n *namer) duration(t model.Ticks) string {
	return model.FormatDuration(n.learner.tick.Duration(t))
}

// storeName is what a store is called, or the source.
func storeName(id model.StoreID) string {
	if id == model.SourceStore {
		return "source"
	}
	return protocol.StoreNames()[id]
}

// mention puts data where the text of a call or result mentions them.
func (n *namer) mention(s *model.State, text string, data []model.Datum) string {
	return mentioned.ReplaceAllStringFunc(text, func(number string) string {
		if k, err := strconv.Atoi(number[1:]); err == nil && k < len(data) && data[k].Kind != model.KindNone {
			return n.value(s, data[k])
		}
		return number
	})
}

var mentioned = regexp.MustCompile(`#\d+`)
