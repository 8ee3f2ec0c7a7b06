package protocol_test

import (
	"context"
	"fmt"
	"time"

	"lockstep/checks"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// Report computes a report that only one node at a time should compute. Its lock lives for
// 10 s; the work may take longer, unless it is given a Limit.
type Report struct{ Limit time.Duration }

// Handle computes the report if nobody else does.
func (p Report) Handle(c *protocol.Client) protocol.Answer {
	work := c
	if p.Limit > 0 {
		limited, cancel := c.WithTimeout(p.Limit)
		defer cancel()
		work = limited
	}
	token := c.NewToken()
	if ok, err := c.Store.SetNX("report", token, 10*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("report")
	v, err := work.Rebuild(protocol.Range{Min: 2 * time.Second, Max: 25 * time.Second})
	if err == nil {
		err = work.Cache.Set("report", v)
	}
	// The lock is given back whatever became of the work.
	c.Releasing("report")
	c.Store.DelIfEqual("report", token)
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

// Work that ends in time: what is done through the client that WithTimeout returns is
// given up when the time is over, and what is done through the other one is not.
func ExampleClient_WithTimeout() {
	for _, limit := range []time.Duration{0, 10 * time.Second, 9999 * time.Millisecond} {
		s := checks.NewScenario(Report{limit})
		report, err := scheduler.Check(context.Background(), s, []model.Property{checks.MutualExclusion()}, scheduler.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(limit, report.Verdicts[0].Property, report.Verdicts[0].Verdict)
	}
	// Output:
	// 0s mutual-exclusion violated
	// 10s mutual-exclusion violated
	// 9.999s mutual-exclusion holds
}
