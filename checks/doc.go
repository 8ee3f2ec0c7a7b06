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
// states.
//
// The package imports model and scheduler. It must never import the catalogue or
// the command line.
package checks
