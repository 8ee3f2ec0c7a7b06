package cli

import (
	"testing"

	"lockstep/checks/analysis"
	"lockstep/scheduler"
)

// A protocol that claims no number of rebuilds breaks no claim.
func TestWhoClaimsNothingBreaksNoClaim(t *testing.T) {
	report := &scheduler.Report{Exhausted: true, Verdicts: []scheduler.Verdict{{Property: "rebuild-bound", Verdict: scheduler.Holds}}}
	for _, c := range []struct {
		claimed int
		text    string
		broken  bool
	}{{0, "2/-", false}, {1, "2/1", true}, {2, "2/2", false}} {
		cell := &analysis.Cell{Column: "none", Report: report, Rebuilds: 2, Claimed: c.claimed}
		name, broken := firstBroken([]matrixRow{{name: "mine", cells: []*analysis.Cell{cell}}})
		if cellText(cell) != c.text || broken != c.broken || broken && name != "mine/none" {
			t.Errorf("%d claimed: %s, broken is %q, %t", c.claimed, cellText(cell), name, broken)
		}
	}
}

// The matrix is as wide as the terminal, with each of its columns.
func TestTheMatrixFitsTheTerminal(t *testing.T) {
	var code int
	for _, width := range []int{80, 100, 120} {
		f := newMatrixFlags()
		f.full = true
		c := newRoot(&code)
		c.SetContext(t.Context())
		columns, rows, err := f.check(c, []string{"fixedttl", "setnx", "singleflight"}, &code)
		if err != nil {
			t.Fatal(err)
		}
		checkFits(t, "matrix --full", matrixText(columns, rows, width, false), width)
	}
}
