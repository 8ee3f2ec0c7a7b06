// Package checks holds the properties, one file each, and the entry point for go
// test.
//
//	func TestLock(t *testing.T) {
//		s := checks.NewScenario(MyLock{TTL: 10 * time.Second})
//		s.Nodes = 3
//		s.Faults = []model.Fault{faults.Pause(1, 5*time.Second)}
//		checks.Verify(t, s, checks.MutualExclusion())
//	}
//
// A property is a [model.Monitor], which looks at each step and may keep a few
// bytes in the state, or a [model.DeadEnd], which is about the graph of all
// states. [Linearizable] makes a monitor of the sequential specification of an object: what
// it keeps in the state is the name of all ways to linearize the history so far, which
// checks/internal/linearize finds and numbers.
//
// The package imports model, protocol and scheduler. It must never import the catalogue or
// the command line.
package checks
