package faults_test

import (
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/model"
)

// What a fault says of its budget makes the same fault again: a trace has no more of it.
func TestNamedIsTheInverseOfValue(t *testing.T) {
	for _, k := range faults.Kinds() {
		took := model.Range{Max: 1500 * time.Millisecond}
		if k.Shape == faults.CountRate {
			took.Max = 20 * time.Millisecond
		}
		f := k.New(2, took)
		again, err := faults.Named(k.Name, f.Value())
		if err != nil {
			t.Errorf("%s: %v", k.Name, err)
			continue
		}
		if again.Name() != f.Name() || again.Budget() != 2 || again.Value() != f.Value() {
			t.Errorf("%s: %s becomes %s %s", k.Name, f.Value(), again.Name(), again.Value())
		}
	}
	if _, err := faults.Named("meteorite", "1"); err == nil {
		t.Error("there is a fault called meteorite")
	}
	if _, err := faults.Named("pause", "12s"); err == nil {
		t.Error("a pause of no number")
	}
}
