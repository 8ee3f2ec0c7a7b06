package checks

import (
	"time"

	"lockstep/model"
)

// Argument is what stands after the name of a property.
type Argument uint8

const (
	// NoArgument: nothing, as in mutual-exclusion.
	NoArgument Argument = iota
	// Count: how many are allowed, as in concurrent-rebuilds=1.
	Count
	// Longest: how long is allowed, as in answered-within=10s.
	Longest
	// Window: how many are allowed within how long, as in rebuild-window=2/10s.
	Window
)

// Level is what a property is about.
type Level uint8

const (
	// Belief: what processes think.
	Belief Level = iota
	// Effect: what stores have accepted.
	Effect
	// Service: what requests get.
	Service
	// Cost: how much is done for that.
	Cost
)

func (l Level) String() string { return [...]string{"belief", "effect", "service", "cost"}[l] }

// Kind is a kind of property: what a user is told of it, and how one is made.
type Kind struct {
	// Name is what it is called on the command line and in reports.
	Name     string
	Argument Argument
	Level    Level
	// Default: it is checked if none is named.
	Default bool
	// Example is arguments of lockstep check under which it is violated; empty if no
	// protocol of the catalogue violates it.
	Example string
	// New makes the property. n and d are the argument, zero if it takes another or none.
	New func(n int, d time.Duration) model.Property
}

// Kinds returns all kinds of properties, in the order in which they are listed.
func Kinds() []Kind {
	plain := func(make func() model.Property) func(int, time.Duration) model.Property {
		return func(int, time.Duration) model.Property { return make() }
	}
	counted := func(make func(int) model.Property) func(int, time.Duration) model.Property {
		return func(n int, _ time.Duration) model.Property { return make(n) }
	}
	timed := func(make func(time.Duration) model.Property) func(int, time.Duration) model.Property {
		return func(_ int, d time.Duration) model.Property { return make(d) }
	}
	return named([]Kind{
		{Level: Belief, Default: true, New: plain(MutualExclusion), Example: "lease --pause 1x12s"},
		{Level: Effect, Default: true, New: plain(NoStaleOverwrite), Example: "lease --pause 1x12s"},
		{Level: Effect, Default: true, New: plain(NoForeignRelease), Example: "fixedttl"},
		{Level: Effect, Default: true, New: plain(NoOrphanedLock), Example: "nottl --crash 1"},
		{Level: Cost, Default: true, Argument: Count, New: counted(RebuildBound), Example: "setnx"},
		{Level: Service, Default: true, New: plain(Answered), Example: "nottl --crash 1"},
		{Level: Service, Argument: Longest, New: timed(AnsweredWithin), Example: "direct"},
		{Level: Service, New: plain(NoLivelock), Example: "nottl --crash 1"},
		{Level: Cost, Argument: Count, New: counted(ConcurrentRebuilds), Example: "direct"},
		{Level: Cost, Argument: Count, New: counted(NodeRebuilds), Example: "direct --requests 2"},
		{Level: Cost, Argument: Count, New: counted(StoreCommands), Example: "lease"},
		{Level: Effect, New: plain(WriteUnderLease), Example: "lease --pause 1x12s"},
		{Level: Effect, New: plain(NoStaleSet), Example: "lease --invalidate"},
		{Level: Effect, New: plain(NoForeignRenewal)},
		{Level: Effect, New: plain(NoRenewalAfterRelease)},
		{Level: Effect, New: plain(NoRecreatedLock)},
		{Level: Effect, New: plain(ReleasedWhenDone), Example: "nottl --store-error 1"},
		{Level: Effect, New: plain(CleanWhenIdle), Example: "nottl --crash 1"},
		{Level: Service, New: plain(MonotonicReads)},
		{Level: Service, New: plain(Convergent), Example: "lease"},
		{Level: Effect, New: plain(FencesIncrease), Example: "fenced --failover 1x1s"},
		{Level: Belief, New: plain(HonestStatus), Example: "lease --pause 1x12s --reply 5ms"},
		{Level: Effect, New: plain(NoLostUpdate)},
		{Level: Belief, Argument: Longest, New: timed(LossNoticedWithin), Example: "lease --pause 1x12s"},
		{Level: Effect, Argument: Longest, New: timed(ReleasedWithin), Example: "setnx --crash 1"},
		{Level: Service, Argument: Longest, New: timed(FreshWithin), Example: "lease"},
		{Level: Service, Argument: Longest, New: timed(ConvergesWithin), Example: "lease"},
		{Level: Service, New: plain(Available), Example: "direct --rebuild-error 1"},
		{Level: Service, New: plain(RightKey)},
		{Level: Service, New: plain(IsolatedFailures), Example: "singleflight --requests 2 --rebuild-error 1"},
		{Level: Belief, New: plain(ContinuousHold), Example: "fixedttl"},
		{Level: Effect, New: plain(HolderNotFencedOff), Example: "fenced --nodes 3 --wipe 1"},
		{Level: Cost, Argument: Window, New: RebuildWindow, Example: "direct"},
		{Level: Service, Argument: Window, New: RestartWindow, Example: "nottl"},
		{Level: Cost, Argument: Longest, New: timed(AtMostOnceWithin), Example: "fixedttl --ttl 500ms"},
		{Level: Service, Argument: Longest, New: timed(AtLeastOnceWithin), Example: "lease"},
		{Level: Effect, New: plain(LinearizableLock), Example: "fixedttl"},
		{Level: Effect, New: plain(LinearizableRegister), Example: "lease --stale-read 1x1s"},
		{Level: Effect, New: plain(LinearizableCounter)},
		{Level: Service, New: plain(LinearizableReads), Example: "lease"},
	})
}

// named fills in the names.
func named(kinds []Kind) []Kind {
	for i := range kinds {
		kinds[i].Name = kinds[i].New(1, time.Second).Name()
	}
	return kinds
}
