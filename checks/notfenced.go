package checks

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"lockstep/model"
)

// HolderNotFencedOff is the property that a resource never knows a higher fencing number than
// the one that a legitimate holder of the lock brings: who believes to hold a lock, and whose
// token is there. It would refuse all that such a holder writes. A number is brought by an
// atomic step, which may be [protocol.Store.SetFenced], and compared with those under the
// keys that the step looks at. [FencesIncrease] is about the numbers where they are given
// out.
//
// [protocol.Store.SetFenced]: lockstep/protocol
func HolderNotFencedOff() model.Property { return holderNotFencedOff{} }

type holderNotFencedOff struct{}

func (holderNotFencedOff) Name() string { return "holder-not-fenced-off" }
func (holderNotFencedOff) Rule() string {
	return "no resource knows a higher fencing number than that of a legitimate holder of the lock"
}
func (holderNotFencedOff) Vacuous() string {
	return "no legitimate holder ever brought its fencing number to where one was known"
}
func (holderNotFencedOff) Memory() int { return 0 }

func (holderNotFencedOff) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if !e.Reached || e.Operation.Kind != model.RunScript || e.Believed == 0 {
		return 0
	}
	if e.Brought == 0 || !legitimate(s, e) {
		return 0
	}
	var outcome model.Outcome
	for i := range e.Changes {
		v := e.Changes[i].Before.Value
		if v.Kind != model.KindCounter {
			continue
		}
		outcome |= model.Exercised
		if v.N > e.Brought {
			outcome |= model.Violated
		}
	}
	return outcome
}

// legitimate reports whether the process of the step believed to hold a lock that carries
// its token.
func legitimate(s *model.State, e *model.Event) bool {
	for k := range locks(e.Believed) {
		if holds(s, model.OwnerOf(&s.Processes[e.Process]), k) {
			return true
		}
	}
	return false
}

func (holderNotFencedOff) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := last.Process + " holds the lock"
	for _, key := range believedKeys(t, last.Process) {
		text = last.Process + " holds " + keyName(key)
	}
	own, known := numbersOf(t, last.Process)
	for _, n := range known {
		if n.number > own.number && n.key != own.key {
			return fmt.Sprintf("%s and brings the number %d, and %s has %d, which %s brought at %s", text, own.number, keyName(n.key), n.number, n.by, model.FormatDuration(n.at))
		}
	}
	return text + ", and brings a number that is lower than the one that is known"
}

// numbered is a number under a key, and who has left it there when.
type numbered struct {
	number  int
	key, by string
	at      time.Duration
}

// numbersOf returns the number that the process got last, and those that are in the stores
// before the last step of a trace, by key.
func numbersOf(t *model.Trace, process string) (own numbered, known []numbered) {
	for i := range t.Steps[:len(t.Steps)-1] {
		s := &t.Steps[i]
		for _, c := range s.Changes {
			n, err := strconv.Atoi(c.After)
			known = slices.DeleteFunc(known, func(k numbered) bool { return k.key == c.Key && c.Before != c.After })
			if err != nil || c.Before == c.After {
				continue
			}
			known = append(known, numbered{n, c.Key, s.Process, s.Time})
			if sameFamily(s.Process, process) {
				own = known[len(known)-1]
			}
		}
	}
	return own, known
}
