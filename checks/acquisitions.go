package checks

import (
	"time"

	"lockstep/model"
)

// acquisitions calls do for each lock that is acquired in the step, and says by which
// process, and whether the same one was acquired earlier in the step.
func acquisitions(e *model.Event, do func(key model.KeyID, process int, again bool)) {
	acquired := uint16(0)
	look := func(marks []model.Mark, process int) {
		for i := range marks {
			if m := &marks[i]; m.Kind == model.MarkAcquired {
				do(m.Key, process, acquired&(1<<m.Key) != 0)
				acquired |= 1 << m.Key
			}
		}
	}
	look(e.Marks, e.Process)
	for i := range e.Begun {
		look(e.Begun[i].Marks, e.Begun[i].Process)
	}
}

// acquisition is who acquired a lock, and when.
type acquisition struct {
	by string
	at time.Duration
}
