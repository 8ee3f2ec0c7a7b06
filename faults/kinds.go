package faults

import "lockstep/model"

// Shape says how the budget of a kind is written.
type Shape uint8

const (
	// Count: how many, as in 1.
	Count Shape = iota
	// CountLongest: how many, and up to how long, as in 1x12s.
	CountLongest
	// CountAmount: how many, and by how much, as in 1x30s.
	CountAmount
	// CountRange: how many, and between which durations, as in 1x5s..30s.
	CountRange
	// CountRate: how many, and by which part of the time, as in 1x1%.
	CountRate
)

// Kind is a kind of fault: what a user is told of it, and how one is made.
type Kind struct {
	// Name is what it is called on the command line and in traces.
	Name  string
	Shape Shape
	// Meaning says in one sentence what it does, Event what it stands for in the
	// world.
	Meaning, Event string
	// Example is arguments of lockstep check under which it decides a verdict.
	Example string
	// New makes the fault. took is what the shape says more than a count: the longest
	// duration or the amount as Max, the range, or as Max how much it is of a second.
	New func(times int, took model.Range) model.Fault
}

// Kinds returns all kinds of faults, in the order in which they are listed.
func Kinds() []Kind {
	counted := func(make func(int) model.Fault) func(int, model.Range) model.Fault {
		return func(times int, _ model.Range) model.Fault { return make(times) }
	}
	return []Kind{
		{
			Name: "crash", Meaning: "a node ends for good, without deferred calls; what it did to the stores stays",
			Event:   "a killed process, a lost machine, an out-of-memory kill",
			Example: "nottl --crash 1 --property answered", New: counted(Crash),
		},
		{
			Name: "restart", Shape: CountRange, Meaning: "a node crashes and is up again after a time within the range, with an empty memory",
			Event:   "a crash under a supervisor, a deployment without graceful shutdown",
			Example: "nottl --restart 1x1s..5s --property answered",
			New:     func(times int, took model.Range) model.Fault { return Restart(times, took) },
		},
		{
			Name: "pause", Shape: CountLongest, Meaning: "a node stands still for up to so long; the world goes on, and what became due is due at once afterwards",
			Event:   "a stop-the-world garbage collection, a suspended virtual machine, SIGSTOP",
			Example: "lease --pause 1x12s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return Pause(times, took.Max) },
		},
		{
			Name: "starve", Shape: CountLongest, Meaning: "one process takes no step for up to so long, a heartbeat for example, while its node runs",
			Event:   "a blocked event loop, an exhausted thread pool, a goroutine that waits for a lock",
			Example: "lease --starve 1x12s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return Starve(times, took.Max) },
		},
		{
			Name: "evict", Meaning: "a store evicts a key, a lock as well as a cached value",
			Event:   "a full store that makes room (maxmemory with an allkeys policy, an LRU)",
			Example: "lease --evict 1 --property mutual-exclusion", New: counted(Evict),
		},
		{
			Name: "operator-delete", Meaning: "an operator deletes a key",
			Event:   "DEL of a lock that looks stuck, or of a cached value that looks wrong",
			Example: "lease --operator-delete 1 --property mutual-exclusion", New: counted(OperatorDelete),
		},
		{
			Name: "wipe", Meaning: "a store restarts with its memory lost: all its keys are gone",
			Event:   "a store without persistence that is restarted, FLUSHALL, a new instance behind the same name",
			Example: "nottl --wipe 1 --property mutual-exclusion", New: counted(Wipe),
		},
		{
			Name: "store-pause", Shape: CountLongest, Meaning: "a store stands still for up to so long: what is asked of it waits, TTLs run on",
			Event:   "a fork for a snapshot, a slow command that blocks the others, SIGSTOP of the server",
			Example: "lease --store-pause 1x12s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return StorePause(times, took.Max) },
		},
		{
			Name: "store-clock-forward", Shape: CountAmount, Meaning: "the clock of a store steps forward by so much: less is left of its TTLs",
			Event:   "NTP that corrects the time, a manual change, a virtual machine that is resumed",
			Example: "lease --store-clock-forward 1x8s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return StoreClockForward(times, took.Max) },
		},
		{
			Name: "store-clock-back", Shape: CountAmount, Meaning: "the clock of a store steps back by so much: more is left of its TTLs",
			Event:   "NTP that corrects the time, a manual change",
			Example: "setnx --losers poll --wait 10s --updates 0 --crash 1 --store-clock-back 1x1m --property answered-within=1m10s",
			New:     func(times int, took model.Range) model.Fault { return StoreClockBack(times, took.Max) },
		},
		{
			Name: "store-clock-freeze", Meaning: "the clock of a store stands still from then on: its TTLs never end",
			Event:   "a server whose cached time is not updated, a broken time source",
			Example: "setnx --losers poll --crash 1 --store-clock-freeze 1 --property answered", New: counted(StoreClockFreeze),
		},
		{
			Name: "store-clock-drift", Shape: CountRate, Meaning: "the clock of a store is wrong by up to so much of the time, fast or slow: its TTLs end early or late",
			Event:   "the oscillator of a cheap or hot machine, a virtual machine that loses ticks",
			Example: "lease --pause 1x6.5s --store-clock-drift 1x10% --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return StoreClockDrift(times, took.Max) },
		},
		{
			Name: "leader-change", Meaning: "a store gets another leader, which counts all its TTLs from their beginning",
			Event:   "a consensus store whose leases are counted down in the memory of the leader",
			Example: "setnx --losers poll --wait 10s --updates 0 --crash 1 --leader-change 1 --property answered-within=1m10s", New: counted(LeaderChange),
		},
		{
			Name: "clock-forward", Shape: CountAmount, Meaning: "the wall clock of a node steps forward by so much; deadlines and sleeps do not follow it",
			Event:   "clocks that are not synchronised, NTP that corrects the time, a manual change",
			Example: "setnx --expiry recorded --clock-forward 1x1m --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return ClockForward(times, took.Max) },
		},
		{
			Name: "clock-back", Shape: CountAmount, Meaning: "the wall clock of a node steps back by so much; deadlines and sleeps do not follow it",
			Event:   "clocks that are not synchronised, NTP that corrects the time, a manual change",
			Example: "setnx --expiry recorded --clock-back 1x1m --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return ClockBack(times, took.Max) },
		},
		{
			Name: "clock-drift", Shape: CountRate, Meaning: "the clock of a node is wrong by up to so much of the time, fast or slow: its sleeps and deadlines end early or late",
			Event:   "the oscillator of a cheap or hot machine, a virtual machine that loses ticks",
			Example: "lease --pause 1x6.9s --clock-drift 1x10% --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return ClockDrift(times, took.Max) },
		},
		{
			Name: "partition", Shape: CountLongest, Meaning: "a node cannot reach a store for up to so long: what it asks of it waits",
			Event:   "a network that drops packets between two hosts",
			Example: "lease --partition 1x12s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return Partition(times, took.Max) },
		},
		{
			Name: "disconnect", Shape: CountLongest, Meaning: "a node cannot connect to a store for up to so long: what it asks of it fails",
			Event:   "a firewall that rejects, a connection limit, a DNS entry that is gone",
			Example: "nottl --disconnect 1x1s --property no-orphaned-lock",
			New:     func(times int, took model.Range) model.Fault { return Disconnect(times, took.Max) },
		},
		{
			Name: "failover", Shape: CountLongest, Meaning: "a store fails over to a replica that lacks the latest writes, those of up to so long",
			Event:   "asynchronous replication: Redis Sentinel or Cluster, a managed cache",
			Example: "nottl --failover 1x1s --property mutual-exclusion",
			New:     func(times int, took model.Range) model.Fault { return Failover(times, took.Max) },
		},
		{
			Name: "stale-read", Shape: CountLongest, Meaning: "a replica of a store or of the source lags for up to so long, and any read may come from it",
			Event:   "reads that are sent to replicas, a read replica of a database, reads of a leader that is deposed",
			Example: "setnx --look-again --stale-read 1x1s --property rebuild-bound",
			New:     func(times int, took model.Range) model.Fault { return StaleRead(times, took.Max) },
		},
		{
			Name: "store-error", Meaning: "a store answers a command with an error and does nothing",
			Event:   "OOM, LOADING, READONLY, CLUSTERDOWN, a refused connection",
			Example: "nottl --store-error 1 --property no-orphaned-lock", New: counted(StoreError),
		},
		{
			Name: "lost-request", Meaning: "a request to a store or the source is lost: no effect, and an error within the timeout",
			Event:   "a dropped packet, a connection reset before the server has read from it",
			Example: "nottl --lost-request 1 --property no-orphaned-lock", New: counted(LostRequest),
		},
		{
			Name: "lost-reply", Meaning: "the reply of a store or the source is lost: its effect, and an error within the timeout",
			Event:   "a connection reset after the server has acted, a client timeout that is too short",
			Example: "nottl --lost-reply 1 --property no-orphaned-lock", New: counted(LostReply),
		},
		{
			Name: "delay", Shape: CountLongest, Meaning: "a request that changes something is delayed for up to so long: an error within the timeout, and later ones may overtake it",
			Event:   "a packet that the network sends again, a proxy that queues, a second connection that is faster",
			Example: "nottl --delay 1x1s --property answered",
			New:     func(times int, took model.Range) model.Fault { return Delay(times, took.Max) },
		},
		{
			Name: "duplicate", Shape: CountLongest, Meaning: "a request that changes something takes effect once more within so long; the first reply counts",
			Event:   "messages that are delivered at least once, a proxy that tries again",
			Example: "fixedttl --ttl 30s --duplicate 1x30s --property no-stale-overwrite",
			New:     func(times int, took model.Range) model.Fault { return Duplicate(times, took.Max) },
		},
		{
			Name: "resend", Meaning: "a request that changes something takes effect, its reply is lost, and it is sent again; the second reply counts",
			Event:   "automatic retries of a client library or a proxy",
			Example: "nottl --resend 1 --property answered", New: counted(Resend),
		},
		{
			Name: "lost-message", Meaning: "what is published in a step reaches no subscriber; the publisher does not notice",
			Event:   "fire-and-forget publish/subscribe: a subscriber that reconnects, an output buffer that overflows",
			Example: "nottl --notify --look-again --lost-message 1 --property answered", New: counted(LostMessage),
		},
		{
			Name: "cancel", Meaning: "a request's context is cancelled: its operations return an error from then on",
			Event:   "a client that hangs up, a deadline of the caller, a load balancer's timeout",
			Example: "nottl --cancel 1 --property no-orphaned-lock", New: counted(Cancel),
		},
		{
			Name: "rebuild-error", Meaning: "the computing of a value fails, after any time that it may take",
			Event:   "a query that fails half-way, an upstream that answers with an error",
			Example: "setnx --rebuild-error 1 --property rebuild-bound --look-again", New: counted(RebuildError),
		},
		{
			Name: "panic", Meaning: "the computing of a value panics: deferred calls run, a request ends, a spawned process ends its node",
			Event:   "a nil pointer in a loader, a failed assertion",
			Example: "stacked --panic 1 --property answered", New: counted(Panic),
		},
		{
			Name: "goexit", Meaning: "the computing of a value ends its goroutine: deferred calls run, and nothing else",
			Event:   "runtime.Goexit, FailNow of a test in a loader",
			Example: "stacked --goexit 1 --property answered", New: counted(Goexit),
		},
	}
}
