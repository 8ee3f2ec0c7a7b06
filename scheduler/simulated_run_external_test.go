package scheduler_test

import (
	"testing"
	"time"

	"lockstep/faults"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// leavesLock leaves its lock to the TTL, and the others wait until there is a change.
type leavesLock struct {
	TTL time.Duration `default:"5s"`
}

func (p leavesLock) Handle(c *protocol.Client) protocol.Answer {
	changed, err := c.Store.Watch("lock")
	if err != nil {
		return protocol.Failed()
	}
	if ok, err := c.Store.SetNX("lock", c.NewToken(), p.TTL); err != nil || ok {
		changed.Close()
		return protocol.Empty()
	}
	if changed.Wait() != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
}

// awaitsPush waits for what nobody pushes.
type awaitsPush struct{}

func (awaitsPush) Handle(c *protocol.Client) protocol.Answer {
	if _, err := c.Store.BlockingPop("list", 0); err != nil {
		return protocol.Failed()
	}
	return protocol.Stale()
}

// A run goes on where nobody is about to do anything, as long as an entry may expire or a
// fault may strike for which somebody waits.
func TestARunGoesOnForThoseWhoWaitForAChange(t *testing.T) {
	waiting := func(p protocol.Protocol, all ...scheduler.SimulatedFault) *scheduler.RunResult {
		c := scheduler.NewSimulation(p)
		c.Nodes, c.Requests, c.Latency, c.Duration, c.Faults = 1, 3, protocol.Range{}, time.Hour, all
		return simulate(t, c, 1).Runs[0]
	}
	if r := waiting(&leavesLock{}); r.Answered != 3 || r.Waits.Max != 5*time.Second || r.Lasted != 5*time.Second {
		t.Errorf("a lock is left to its TTL of 5 s: %d of 3 are answered, the last after %v, and the run lasts %v", r.Answered, r.Waits.Max, r.Lasted)
	}
	cancel := scheduler.SimulatedFault{Fault: faults.Cancel(8), Every: 10 * time.Second}
	if r := waiting(&awaitsPush{}, cancel); r.Answers.Failed != 3 || r.CutShort {
		t.Errorf("requests are cancelled every 10 s: %d of 3 that wait fail, cut short %v", r.Answers.Failed, r.CutShort)
	}
	if r := waiting(&awaitsPush{}); r.Unanswered != 3 || r.CutShort || r.Lasted != 0 {
		t.Errorf("nobody ever pushes: %d of 3 are not answered after %v", r.Unanswered, r.Lasted)
	}
	crash := scheduler.SimulatedFault{Fault: faults.Crash(8), Every: 10 * time.Second}
	if r := waiting(&awaitsPush{}, crash); r.Unanswered != 3 || r.CutShort || r.Lasted != 0 {
		t.Errorf("nobody ever pushes, and nodes crash: %d of 3 are not answered after %v", r.Unanswered, r.Lasted)
	}
}
