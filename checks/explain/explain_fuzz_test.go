package explain

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"lockstep/checks/incident"
	"lockstep/protocol"
	"lockstep/protocol/catalogue"
	"lockstep/scheduler"
)

// Whatever a log has, it is explained, or not, or refused.
func FuzzExplain(f *testing.F) {
	text, err := os.ReadFile("../../testdata/incidents/lease-pause.monitor.log")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(text))
	f.Add(asks)
	f.Add(`1.000000 [0 a:1] "set" "lock" "t" "nx"` + "\n" + `1.000001 [1 a:1] "set" "lock" "t" "px" "-1" "nx"`)
	f.Add(`9999999999.000000 [0 a:1] "setnx" "k" ""` + "\n" + `1.000001 [0 lua] "incr" ""`)
	f.Fuzz(func(t *testing.T, text string) {
		m, err := incident.NewMonitor(strings.NewReader(text))
		if err != nil {
			return
		}
		p, err := protocol.WithDefaults(&catalogue.Lease{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := Read(m, Settings{Scenario: scheduler.NewScenario(p.(protocol.Protocol)), MaxFaults: 1})
		if err != nil {
			return
		}
		r, err := b.Explain(context.Background(), scheduler.Options{MaxStates: 500})
		var scenario *scheduler.ScenarioError
		if errors.As(err, &scenario) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		report := r.Report()
		if report.Impossible != nil {
			report.Impossible.Words()
		}
		for i := range report.Faults {
			report.Faults[i].Words()
		}
	})
}
