package faults_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
)

// A fault with another budget is the same in all else, of whatever kind it is.
func TestABudgetChangesAndNothingElse(t *testing.T) {
	for _, k := range faults.Kinds() {
		f := k.New(3, model.Range{Min: time.Second, Max: 7 * time.Second})
		if k.Shape == faults.CountRate {
			f = k.New(3, model.Range{Max: 10 * time.Millisecond})
		}
		less, err := faults.WithBudget(f, 1)
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if less.Budget() != 1 || less.Name() != f.Name() || "3"+strings.TrimPrefix(less.Value(), "1") != f.Value() {
			t.Errorf("%s %s with a budget of 1 is %s %s", f.Name(), f.Value(), less.Name(), less.Value())
		}
	}
}

// A fault of one's own has no kind.
func TestABudgetOfAnUnknownKindIsRefused(t *testing.T) {
	if _, err := faults.WithBudget(own{faults.Crash(2)}, 1); err == nil || !strings.Contains(err.Error(), "meteor") {
		t.Errorf("%v", err)
	}
}

type own struct{ model.Fault }

func (own) Name() string { return "meteor" }
