package faults

import (
	"fmt"
	"time"

	"lockstep/model"
)

// lasting is what faults have in common that last for up to so long, or change something
// by so much.
type lasting struct {
	counted
	// longest is positive.
	longest time.Duration
	limit   model.Ticks
}

func (f lasting) Value() string {
	return fmt.Sprintf("%dx%s", f.times, model.FormatDuration(f.longest))
}
func (f lasting) Durations() []time.Duration { return []time.Duration{f.longest} }

// resolve returns it with its duration in ticks.
func (f lasting) resolve(t model.Tick) (lasting, error) {
	if err := f.valid(); err != nil {
		return f, err
	}
	if f.times > 0 && f.longest <= 0 {
		return f, fmt.Errorf("the fault %s of %s: the duration must be positive, as in 1x12s", f.name, model.FormatDuration(f.longest))
	}
	var err error
	f.limit, err = t.Ticks(f.longest)
	return f, err
}
