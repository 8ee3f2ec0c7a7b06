package faults

import (
	"fmt"
	"strconv"
	"time"

	"lockstep/model"
)

// counted is what faults have in common of which no more is said than how many there
// may be.
type counted struct {
	name    string
	times   int
	strikes model.Target
}

func (f counted) Name() string             { return f.name }
func (f counted) Budget() int              { return f.times }
func (f counted) Value() string            { return strconv.Itoa(f.times) }
func (counted) Durations() []time.Duration { return nil }
func (counted) Halts() bool                { return false }
func (f counted) Strikes() model.Target    { return f.strikes }
func (f counted) valid() error             { return checkBudget(f.name, f.times) }

func checkBudget(name string, times int) error {
	if times < 0 || times > MaxBudget {
		return fmt.Errorf("a budget of %d for the fault %s: a run may contain 0 to %d of a kind", times, name, MaxBudget)
	}
	return nil
}

// striking is what interceptors have in common: the rules offer them where an
// operation would take effect.
type striking struct{ counted }

func (striking) Offer(*model.Rules, *model.State, *model.Moves) {}
