package checks

import (
	"fmt"

	"lockstep/model"
)

// WriteUnderLease is the property that who stores a value while it believes to hold a lock
// does hold it: the lock carries a token of its request when the write takes effect. It
// asks for more than [NoStaleOverwrite], which is about what becomes of the values.
//
// The lock is the entry of that name in c.Store. A lock of several stores is not looked
// at.
func WriteUnderLease() model.Property { return writeUnderLease{} }

type writeUnderLease struct{}

func (writeUnderLease) Name() string { return "write-under-lease" }
func (writeUnderLease) Rule() string {
	return "who stores a value and believes to hold a lock does hold it"
}
func (writeUnderLease) Vacuous() string { return "no value was ever stored under a lock" }
func (writeUnderLease) Memory() int     { return 0 }

func (writeUnderLease) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	if e.Process < 0 || e.Operation == nil || e.Believed == 0 {
		return 0
	}
	var outcome model.Outcome
	owner := model.OwnerOf(&s.Processes[e.Process])
	for i := range e.Changes {
		if c := &e.Changes[i]; !c.Written || c.After.Value.Kind != model.KindVersion {
			continue
		}
		for k := range locks(e.Believed) {
			outcome |= model.Exercised
			if !holds(s, owner, k) {
				outcome |= model.Violated
			}
		}
	}
	return outcome
}

func (writeUnderLease) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := last.Process + " stored a value"
	for _, c := range last.Changes {
		if c.After != "" && c.After[0] == 'v' {
			text = fmt.Sprintf("%s stored %s under %s", last.Process, versionName(c.After), keyName(c.Key))
		}
	}
	for _, key := range believedKeys(t, last.Process) {
		if since := lapse(t, key, last.Time); since != "" {
			return text + ": it still believed that it held " + keyName(key) + since
		}
	}
	return text + " under a lock that it did not hold"
}
