package cli

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/checks/incident"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// believedTogether reports whether two requests of a trace believe to hold a lock at the same
// time, by its marks.
func believedTogether(t *model.Trace) bool {
	holders := map[string][]string{}
	together := false
	for i := range t.Steps {
		s := &t.Steps[i]
		if s.EndsNode() {
			for lock := range holders {
				holders[lock] = slices.DeleteFunc(holders[lock], func(p string) bool { return strings.HasPrefix(p, s.Node+"/") })
			}
		}
		for k := range s.Marks {
			m := &s.Marks[k]
			process, _, _ := strings.Cut(s.By(m), ".")
			switch m.Kind {
			case "acquired":
				if !slices.Contains(holders[m.Subject], process) {
					holders[m.Subject] = append(holders[m.Subject], process)
				}
				together = together || len(holders[m.Subject]) > 1
			case "releasing":
				holders[m.Subject] = slices.DeleteFunc(holders[m.Subject], func(p string) bool { return p == process })
			}
		}
	}
	return together
}

// overwritten reports whether a step of a trace stores an older version than one before it.
func overwritten(t *model.Trace) bool {
	newest := map[string]string{}
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if !strings.HasPrefix(c.After, "v") {
				continue
			}
			if c.After < newest[c.Key] {
				return true
			}
			newest[c.Key] = c.After
		}
	}
	return false
}

// removedForeign reports whether a step of a trace takes away the token of another request.
func removedForeign(t *model.Trace) bool {
	for i := range t.Steps {
		s := &t.Steps[i]
		process, _, _ := strings.Cut(s.Process, ".")
		for _, c := range s.Changes {
			owner, _, _ := strings.Cut(c.Owner, ".")
			if s.Process != "" && owner != "" && owner != process && strings.HasPrefix(c.Before, "#") && c.After != c.Before {
				return true
			}
		}
	}
	return false
}

// An audit of a trace finds an overlapping belief, an older value over a newer one, and a foreign
// release where the trace has one and nowhere else; its commands alone never prove what is not so.
func TestAuditsOfTracesFindWhatIsInThem(t *testing.T) {
	traces, seen := 0, map[incident.Kind]int{}
	for _, k := range faults.Kinds() {
		took := model.Range{Max: 12 * time.Second}
		if k.Shape == faults.CountRate {
			took.Max = 100 * time.Millisecond
		}
		for _, name := range []string{"nottl", "lease", "setnx", "fixedttl", "versioned", "fenced"} {
			e, _ := catalogue.Find(name)
			s := scheduler.NewScenario(e.New())
			s.Faults = []model.Fault{k.New(1, took)}
			r, err := scheduler.Check(context.Background(), s, checks.All(1), scheduler.Options{MaxStates: 10_000})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range r.Verdicts {
				if v.Trace == nil {
					continue
				}
				traces++
				var text bytes.Buffer
				if err := v.Trace.Write(&text); err != nil {
					t.Fatal(err)
				}
				l, err := incident.OpenLog("trace", &text, incident.Options{})
				if err != nil {
					t.Fatal(err)
				}
				whole, err := incident.AuditLogs(incident.AuditOptions{Steps: true}, l)
				if err != nil {
					t.Fatal(err)
				}
				alone, err := incident.Audit(incident.FromTrace(v.Trace))
				if err != nil {
					t.Fatal(err)
				}
				for kind, is := range map[incident.Kind]bool{incident.OverlappingBelief: believedTogether(v.Trace), incident.StaleOverwrite: overwritten(v.Trace), incident.ForeignRelease: removedForeign(v.Trace)} {
					of := func(f incident.Finding) bool { return f.Kind == kind }
					if found := slices.ContainsFunc(whole.Findings, of); found != is {
						t.Errorf("%s, %s, %s: %s is found: %t, and there is one: %t", name, k.Name, v.Property, kind, found, is)
					}
					if found := slices.ContainsFunc(alone.Findings, of); found && !is {
						t.Errorf("%s, %s, %s: the commands are said to prove %s: %+v", name, k.Name, v.Property, kind, alone.Findings)
					}
					if is {
						seen[kind]++
					}
				}
			}
		}
	}
	if traces < 100 || seen[incident.OverlappingBelief] < 20 || seen[incident.StaleOverwrite] < 20 || seen[incident.ForeignRelease] < 20 {
		t.Errorf("%d traces, with %v", traces, seen)
	}
}
