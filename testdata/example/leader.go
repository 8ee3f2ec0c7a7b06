// Package leader is what a module of one's own looks like that checks its
// protocol with Lockstep: a nightly job that only one node should run.
package leader

import (
	"time"

	"lockstep/protocol"
)

// Job runs under a lock of fixed TTL. It looks at a deadline of its own before it
// writes, and gives up if the lock may be gone.
type Job struct {
	TTL   time.Duration  `default:"30s" help:"how long the lock lives"`
	Guard time.Duration  `default:"20s" help:"after how long the job gives up"`
	Work  protocol.Range `default:"1s..25s" help:"how long the work takes"`
	// Careful is what makes the difference; see the tests.
	Careful bool `help:"look at the deadline before the write"`
}

// Handle is one attempt to run the job.
func (j Job) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	guard := c.Deadline(j.Guard)
	ok, err := c.Store.SetNX("job", token, j.TTL)
	if err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("job")
	report, err := c.Rebuild(j.Work)
	if err != nil {
		return protocol.Failed()
	}
	if j.Careful && guard.Passed() {
		return protocol.Failed()
	}
	c.Cache.Set("report", report)
	c.Releasing("job")
	c.Store.DelIfEqual("job", token)
	return protocol.Fresh(report)
}
