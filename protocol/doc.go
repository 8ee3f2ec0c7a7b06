// Package protocol is what a protocol author writes against.
//
// A protocol is plain straight-line Go, the way it ships: a struct whose exported
// fields are its parameters, with a method Handle that is one request on a node.
// Through its [Client] it talks to stores and to the source, sleeps, computes and
// spawns processes; the client also has Acquired and Releasing, which say what the
// process believes.
//
//	type FixedTTL struct {
//		TTL     time.Duration  `default:"5s" help:"how long the lock lives"`
//		Rebuild protocol.Range `default:"2s..25s" help:"how long computing takes"`
//	}
//
//	func (p FixedTTL) Handle(c *protocol.Client) protocol.Answer {
//		if v, ok, err := c.Cache.Get("feed"); err == nil && ok {
//			return protocol.Fresh(v)
//		}
//		token := c.NewToken()
//		ok, err := c.Store.SetNX("lock:feed", token, p.TTL)
//		if err != nil || !ok {
//			return protocol.Stale()
//		}
//		c.Acquired("lock:feed")
//		v, err := c.Rebuild(p.Rebuild)
//		if err != nil {
//			return protocol.Failed()
//		}
//		c.Cache.Set("feed", v)
//		c.Releasing("lock:feed")
//		c.Store.DelIfEqual("lock:feed", token)
//		return protocol.Fresh(v)
//	}
//
// # Rules
//
// The checker runs the code many times and learns it. For that to be sound the code
// must keep these rules; it is told with file and line where it does not.
//
// It depends on nothing but what its Client answers: no time.Now, no randomness, no
// order of a map, no variable that a run changes.
//
// Processes are started with [Go], not with the go statement. They get values and
// tokens from their parent as they were at that moment, and give back a result
// through [Task.Wait]. A variable that both sides use is refused. That is found by
// running each side with the other one suspended and with it run on, which finds
// most cases and cannot find all.
//
// Time is compared, not read: see [Client.Deadline], [Store.PTTL] and [Client.Now].
//
// A context is a client: [Client.WithCancel] and [Client.WithTimeout] return one for a
// part of the work, and what is done through it ends with that part. [Client.WithoutCancel]
// is for what must be done whatever is cancelled.
//
// Requests of one node share its [Memory], and flights: [Client.Do], which is singleflight,
// and its parts [Client.Join], [Client.Fly] and [Client.Forget]. Scripts, conditional
// writes and transactions are functions that [Atomic] and [Exec] run in one step.
//
// Bounded loops are plain Go. An unbounded one either ends its try with [Again], or
// marks its head with [Client.Checkpoint].
//
// # What takes time
//
// An operation of a store or of the source takes effect within the latency of the
// scenario after it was issued, Sleep and Compute end within their ranges, and
// everything else takes no time. Marks (Acquired, Releasing, NewToken, Go, WithCancel, a
// return) belong to the step before them. Starting, resetting and reading a
// deadline, WithTimeout, cancelling a context and asking whether it is done, Stop, Wait, what is done with a flight or with the memory of the node, and
// reading a clock are operations: a pause may come between them and what stands before.
//
// # Roles
//
// Handle is a request. A protocol may also have an Update ([Updater]), a Boot ([Booter])
// and a Job ([Jobber]). A graceful shutdown is a Job that goes step by step.
//
// The package imports model and must never import scheduler, faults or checks.
// [World], [Run], [Call] and their like are for the scheduler.
package protocol
