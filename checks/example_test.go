package checks_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Counter is a job that only one node at a time should do.
type Counter struct {
	TTL  time.Duration `default:"10s" help:"how long the lock lives"`
	Work time.Duration `default:"4s" help:"how long the job takes"`
}

// Handle does the job if nobody else does.
func (p Counter) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("job", token, p.TTL); err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("job")
	c.Sleep(p.Work)
	c.Releasing("job")
	c.Store.DelIfEqual("job", token)
	return protocol.Empty()
}

// In a test of one's own module, one call explores every run.
func ExampleVerify() {
	test := func(t *testing.T) {
		s := checks.NewScenario(Counter{})
		s.Faults = []model.Fault{faults.Pause(1, 5*time.Second)}
		checks.Verify(t, s, checks.MutualExclusion())
	}
	_ = test
}

// A longer pause than the lease has left breaks the lock; the search finds the
// shortest way.
func Example_violation() {
	s := checks.NewScenario(Counter{})
	s.Faults = []model.Fault{faults.Pause(1, 8*time.Second)}
	report, err := scheduler.Check(context.Background(), s, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	v := report.Verdicts[0]
	fmt.Println(v.Property, v.Verdict, "with", v.Faults, "fault and", v.Steps, "steps")
	fmt.Println(v.Trace.Explanation)
	// Output:
	// mutual-exclusion violated with 1 fault and 4 steps
	// n1/0 acquired job, but n0/0 still believed that it held it, since 0s; the lock expired at 10s
}
