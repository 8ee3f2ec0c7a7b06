package scheduler

import (
	"math"

	"lockstep/model"
)

// unstruck: no fault strikes the operation.
const unstruck = -1

// struckBy draws which fault strikes the operation that a process is about to do.
func (m *simulator) struckBy(a *actor, s *shape) int {
	if s.process.Phase != model.Acting {
		return unstruck
	}
	for k := range m.kinds {
		if s.intercepted>>k&1 == 0 {
			continue
		}
		share := m.config.Faults[k].Share
		if share >= 1 || a.random.Uint64() < uint64(share*math.MaxUint64) {
			return k
		}
	}
	return unstruck
}

// intercepted returns the faults that may strike an operation, each as a bit.
func (m *simulator) intercepted(op *model.Operation) (by uint8) {
	for k, f := range m.rules.Faults {
		if i, ok := f.(model.Interceptor); ok && i.Intercepts(op) {
			by |= 1 << k
		}
	}
	return by
}

// struck leaves of the moves of a process those that are possible if a fault strikes its
// operation or none does. Where that fault can do nothing, none does.
func struck(moves *model.Moves, by int) {
	kept := 0
	if by != unstruck {
		for i := range moves.List {
			if moves.List[i].Kind == model.MoveFailure && int(moves.List[i].Fault) == by {
				moves.List[kept] = moves.List[i]
				kept++
			}
		}
	}
	if kept == 0 {
		for i := range moves.List {
			if moves.List[i].Kind != model.MoveFailure {
				moves.List[kept] = moves.List[i]
				kept++
			}
		}
	}
	moves.List = moves.List[:kept]
}
