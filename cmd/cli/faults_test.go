package cli

import (
	"strings"
	"testing"

	"lockstep/faults"
)

// Each fault decides the verdict of its example: with it the property is violated, and
// without it the property holds.
func TestEachFaultIsLoadBearingInItsExample(t *testing.T) {
	for _, k := range faults.Kinds() {
		with := append([]string{"check"}, strings.Fields(k.Example)...)
		var without []string
		for i := 0; i < len(with); i++ {
			if with[i] == "--"+k.Name {
				i++ // and its value
				continue
			}
			without = append(without, with[i])
		}
		if len(without) != len(with)-2 {
			t.Errorf("%s: its example does not use it: %s", k.Name, k.Example)
			continue
		}
		if code := exitOf(t, with); code != exitViolated {
			t.Errorf("%s: the exit code of its example is %d", k.Name, code)
		}
		if code := exitOf(t, without); code != exitHolds {
			t.Errorf("%s: without it the exit code of its example is %d", k.Name, code)
		}
	}
}

// A budget is written as it is read.
func TestABudgetIsWrittenAsItIsRead(t *testing.T) {
	for _, f := range newFaultFlags() {
		text := [...]string{faults.Count: "2", faults.CountLongest: "2x1.5s", faults.CountAmount: "2x1.5s", faults.CountRange: "2x1s..3s", faults.CountRate: "2x0.25%"}[f.kind.Shape]
		for _, text := range []string{text, "0"} {
			if err := f.Set(text); err != nil {
				t.Errorf("--%s %s: %v", f.kind.Name, text, err)
			}
			if f.String() != text {
				t.Errorf("--%s %s is written %s", f.kind.Name, text, f)
			}
		}
		if name := f.fault().Name(); name != f.kind.Name {
			t.Errorf("the fault %s is called %s", f.kind.Name, name)
		}
	}
}
