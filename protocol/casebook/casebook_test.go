package casebook

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"lockstep/scheduler"
)

var update = flag.Bool("update", false, "write docs/casebook.md anew")

// page is where the cases can be read.
const page = "../../docs/casebook.md"

// Every case is complete, and the checker agrees with what it says.
func TestCases(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range All() {
		t.Run(c.ID, func(t *testing.T) {
			if err := c.Valid(); err != nil {
				t.Fatal(err)
			}
			if seen[c.ID] {
				t.Errorf("there are two cases %s", c.ID)
			}
			seen[c.ID] = true
			if _, text, err := c.Code(); err != nil || !strings.Contains(text, fmt.Sprintf("%q", c.ID)) {
				t.Errorf("the file of the case must have its id for a name: %v", err)
			}
			for i := range c.Checks {
				k := &c.Checks[i]
				out, err := k.Verify(context.Background(), scheduler.Options{})
				if err != nil {
					t.Fatalf("%s: %v", k.Shows, err)
				}
				for _, wrong := range out.Wrong {
					t.Errorf("%s: %s", k.Shows, wrong)
				}
				t.Log(told(k, out))
			}
		})
	}
}

// told is what is worth reading when a case is written.
func told(k *Check, out *Outcome) string {
	text := fmt.Sprintf("%s: after %d states", k.Shows, out.After.Stats.States)
	if out.Before == nil {
		return text
	}
	v := &out.Before.Verdicts[0]
	text += fmt.Sprintf(", before %d states: %s %s, faults %d, steps %d", out.Before.Stats.States, v.Property, v.Verdict, v.Faults, v.Steps)
	if v.Trace != nil {
		text += ": " + v.Trace.Explanation
	}
	return text
}

// The page in the documentation is what the cases say.
func TestThePageIsUpToDate(t *testing.T) {
	want := Page()
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the cases say; go test ./protocol/casebook -update writes it anew (%v)", page, err)
	}
}

// The casebook covers each kind of failure, and every claim that was none.
func TestEveryKindHasACase(t *testing.T) {
	of := map[Kind]int{}
	for _, c := range All() {
		of[c.Kind]++
	}
	for _, k := range Kinds() {
		if of[k] == 0 {
			t.Errorf("no case of the kind %s", k)
		}
	}
	if len(All()) < 60 || of[NegativeControl] < 7 {
		t.Errorf("%d cases, %d of them negative controls", len(All()), of[NegativeControl])
	}
}
