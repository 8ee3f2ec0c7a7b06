package incident_test

import (
	"os"
	"slices"
	"testing"

	"lockstep/checks/incident"
)

// Recordings of real processes at a real server (testdata/incidents/record): what happened to
// them is known, and found.
func TestRecordingsAreAudited(t *testing.T) {
	for name, want := range map[string][]incident.Kind{
		"healthy-lease":  {},
		"lease-pause":    {incident.OverlappingBelief, incident.RepeatedRebuild, incident.StaleOverwrite},
		"foreign-delete": {incident.OverlappingBelief, incident.ForeignRelease, incident.RepeatedRebuild, incident.WriteAfterLoss},
		"nottl-crash":    {incident.LockWithoutTTL},
	} {
		f, err := os.Open("../../testdata/incidents/" + name + ".monitor.log")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		m, err := incident.NewMonitor(f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := incident.Audit(m)
		if err != nil {
			t.Fatal(err)
		}
		var got []incident.Kind
		for _, f := range r.Findings {
			got = append(got, f.Kind)
		}
		if !slices.Equal(got, want) && len(got)+len(want) > 0 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
		if r.Bad.Count != 0 || len(r.Doubts) != 0 || !slices.Equal(r.Locks, []string{"lock:feed"}) {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
