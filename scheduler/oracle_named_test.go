package scheduler_test

import (
	"slices"
	"testing"

	"lockstep/model"
)

// byTiming is Fischer's mutual exclusion with a lock for the register.
func byTiming(write, look int) program {
	return program{
		{verb: vGet, key: keyLock, v: 3},
		{verb: vIf, code: model.Found, to: 10},
		{verb: vToken, v: 0},
		{verb: vSleep, min: 0, max: write},
		{verb: vSet, key: keyLock, v: 0},
		{verb: vSleep, min: look, max: look + 1},
		{verb: vDelEq, key: keyLock, v: 0},
		{verb: vIf, code: model.NotMine, to: 10},
		{verb: vAcquired, key: keyLock},
		{verb: vSleep, min: 0, max: 1},
		{verb: vReturn},
	}
}

// named are settings that stay whatever the generators draw: the protocols of the
// catalogue in ticks, and what was once wrong.
func named() map[string]*setting {
	set := func(change func(s *setting), handle program, child ...instruction) *setting {
		s := &setting{nodes: 2, requests: 1, bound: 1, patience: -1, window: -1, programs: programs{handle, {{verb: vUpdate, v: 1}}, child}}
		change(s)
		return s
	}
	// with is a setting with one fault of the kind.
	with := func(t trouble, handle program, child ...instruction) *setting {
		return set(func(s *setting) {
			s.budget[t] = 1
			s.lag, s.outage, s.timeout, s.downLeast, s.downLongest, s.late, s.step = 1, 2, 1, 1, 2, 2, 1
		}, handle, child...)
	}
	// rebuild is a request that caches what it rebuilt under a lock.
	rebuild := func(ttl, least, most int, release verb, heartbeat bool) program {
		p := program{
			{verb: vToken, v: 0},
			{verb: vSetNX, key: keyLock, v: 0, ttl: ttl},
			{verb: vIf, code: model.Refused, to: 11},
			{verb: vAcquired, key: keyLock},
			{verb: vRead, v: 1},
			{verb: vGo, n: firstChild},
			{verb: vCompute, min: least, max: most},
			{verb: vStop},
			{verb: vSet, key: keyCache, v: 1, valueTTL: true},
			{verb: vReleasing, key: keyLock},
			{verb: release, key: keyLock, v: 0},
			{verb: vReturn},
		}
		if !heartbeat {
			p[5] = instruction{verb: vGoto, to: 6}
			p[7] = instruction{verb: vGoto, to: 8}
		}
		return p
	}
	beat := program{
		{verb: vCheckpoint, n: 1},
		{verb: vSleep, min: 1, max: 1},
		{verb: vIf, code: model.Stopped, to: 5},
		{verb: vExpireEq, key: keyLock, v: 0, ttl: 3},
		{verb: vIf, code: model.Done, to: 0},
		{verb: vReturn},
	}
	direct := program{
		{verb: vGet, key: keyCache, v: 3}, {verb: vIf, code: model.Found, to: 5},
		{verb: vRead, v: 1}, {verb: vCompute, min: 1, max: 3}, {verb: vSet, key: keyCache, v: 1}, {verb: vReturn},
	}
	updated := func(s *setting) { s.updates = 1 }
	return map[string]*setting{
		"direct":                       set(updated, direct),
		"direct, all requests at once": set(func(s *setting) { s.updates, s.window = 1, 0 }, direct),
		"lease, requests in a window and a pause": set(func(s *setting) { s.window, s.pauses, s.pauseMax = 2, 1, 2 },
			rebuild(3, 1, 5, vDelEq, true), beat...),
		"nottl, an evicted lock":           with(evict, rebuild(0, 1, 3, vDel, false)),
		"nottl, a wiped store":             with(wipe, rebuild(0, 1, 3, vDel, false)),
		"nottl, a failover":                with(failover, rebuild(0, 1, 3, vDel, false)),
		"fixedttl, a failover":             with(failover, rebuild(3, 1, 5, vDelEq, false)),
		"lease, a paused store":            with(storePause, rebuild(3, 1, 4, vDelEq, true), beat...),
		"lease, a partition":               with(partition, rebuild(3, 1, 4, vDelEq, true), beat...),
		"nottl, a store error":             with(storeError, rebuild(0, 1, 3, vDel, false)),
		"lease, a store error":             with(storeError, rebuild(3, 1, 4, vDelEq, true), beat...),
		"nottl, a lost request":            with(lostRequest, rebuild(0, 1, 3, vDel, false)),
		"nottl, a lost reply":              with(lostReply, rebuild(0, 1, 3, vDel, false)),
		"nottl, a delayed request":         with(delay, rebuild(0, 1, 3, vDel, false)),
		"nottl, a duplicated request":      with(duplicate, rebuild(0, 1, 3, vDel, false)),
		"nottl, a request sent again":      with(resend, rebuild(0, 1, 3, vDel, false)),
		"fixedttl, a clock that is ahead":  with(storeForward, rebuild(4, 1, 3, vDel, false)),
		"fixedttl, a clock that is behind": with(storeBack, rebuild(2, 1, 3, vDel, false)),
		"fixedttl, no connection":          with(disconnect, rebuild(4, 1, 3, vDel, false)),
		"a failover before the arrival that it foresees": set(func(s *setting) { s.nodes, s.updates, s.budget[failover], s.lag = 1, 1, 1, 1 },
			program{{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0}, {verb: vCompute, min: 1, max: 1}, {verb: vDelEq, key: keyLock, v: 0}}),
		"nottl, a stale read":                 with(staleRead, rebuild(0, 1, 3, vDel, false)),
		"lease, a heartbeat that panics":      with(panics, rebuild(3, 1, 4, vDelEq, true), append(slices.Clone(beat), instruction{verb: vCompute, max: 1})...),
		"lease, a starved process":            with(starve, rebuild(3, 1, 4, vDelEq, true), beat...),
		"fixedttl, a clock that stands still": with(storeFreeze, rebuild(2, 1, 3, vDel, false)),
		"a read whose reply is lost teaches nothing": set(func(s *setting) { s.nodes, s.budget[lostReply], s.timeout = 1, 1, 1 },
			program{
				{verb: vRead, v: 1}, {verb: vIf, code: model.TimedOut, to: 3}, {verb: vReturn},
				{verb: vUpdate, v: 3}, {verb: vRead, v: 1}, {verb: vIfEqual, v: 1, w: 3, to: 7}, {verb: vReturn},
				{verb: vToken, v: 0}, {verb: vSet, key: keyLock, v: 0}, {verb: vReturn},
			}),
		"a failover between a wait and the write that follows at once": set(func(s *setting) { s.nodes, s.budget[failover] = 1, 1 },
			program{
				{verb: vToken, v: 0}, {verb: vSleep, min: 1, max: 1}, {verb: vSet, key: keyLock, v: 0, ttl: 5},
				{verb: vGet, key: keyLock, v: 1}, {verb: vIf, code: model.Missing, to: 6}, {verb: vReturn},
				{verb: vSet, key: keyOther, v: 0}, {verb: vReturn},
			}),
		"a partition between a wait and the write that follows at once": set(func(s *setting) { s.nodes, s.budget[partition], s.outage = 1, 1, 2 },
			program{
				{verb: vToken, v: 0}, {verb: vSet, key: keyOther, v: 0, ttl: 2}, {verb: vSleep, min: 1, max: 1}, {verb: vDel, key: keyLock},
				{verb: vGet, key: keyOther, v: 1}, {verb: vIf, code: model.Missing, to: 7}, {verb: vReturn},
				{verb: vSet, key: keyOther, v: 0}, {verb: vReturn},
			}),
		"lease, a lost reply":            with(lostReply, rebuild(3, 1, 4, vDelEq, true), beat...),
		"nottl, a cancelled request":     with(cancel, rebuild(0, 1, 3, vDel, false)),
		"lease, a cancelled request":     with(cancel, rebuild(3, 1, 4, vDelEq, true), beat...),
		"fixedttl, a rebuild that fails": with(rebuildError, rebuild(3, 1, 5, vDel, false)),
		"nottl, a restart":               with(restart, rebuild(0, 1, 3, vDel, false)),
		"nottl, without end":             set(func(s *setting) { s.endless = true }, rebuild(0, 1, 3, vDel, false)),
		"fixedttl, without end":          set(func(s *setting) { s.endless = true }, rebuild(3, 1, 5, vDel, false)),
		"lease, without end":             set(func(s *setting) { s.endless, s.nodes = true, 1 }, rebuild(3, 1, 5, vDelEq, true), beat...),
		"nottl, a restart of one of many requests": set(func(s *setting) {
			s.nodes, s.endless, s.budget[restart], s.downLeast, s.downLongest = 1, true, 1, 1, 2
		}, rebuild(0, 1, 2, vDel, false)),
		"a lock that a request left is not that of the next": set(func(s *setting) { s.nodes, s.endless = 1, true },
			program{{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0, ttl: 2}, {verb: vIf, code: model.Refused, to: 4}, {verb: vReturn}, {verb: vDel, key: keyLock}}),
		"nottl, a restart before another request": set(func(s *setting) {
			s.nodes, s.requests, s.budget[restart], s.downLeast, s.downLongest = 1, 2, 1, 1, 2
		}, rebuild(0, 1, 2, vDel, false)),
		"a replica that has not noticed yet that a TTL is over": with(failover, program{
			{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0, ttl: 1}, {verb: vCompute, min: 1, max: 1},
			{verb: vPTTL, key: keyLock}, {verb: vDel, key: keyLock},
		}),
		// Fischer's protocol: each wait merges with the access that follows.
		"a write within 1 tick, a look after 2":  set(func(s *setting) { s.window = 0 }, byTiming(1, 2)),
		"a write within 2 ticks, a look after 2": set(func(s *setting) { s.window, s.pauses, s.pauseMax = 0, 1, 2 }, byTiming(2, 2)),
		"waits that a crash and a pause meet":    set(func(s *setting) { s.crashes, s.pauses, s.pauseMax = 1, 1, 3 }, byTiming(1, 2)),
		"nottl":                                  set(updated, rebuild(0, 1, 3, vDel, false)),
		"nottl, a crash":                         set(func(s *setting) { s.crashes = 1 }, rebuild(0, 1, 3, vDel, false)),
		"fixedttl":                               set(updated, rebuild(3, 1, 5, vDel, false)),
		"fixedttl, in time":                      set(updated, rebuild(3, 1, 2, vDel, false)),
		"lease":                                  set(updated, rebuild(3, 1, 5, vDelEq, true), beat...),
		"lease, a pause just short enough": set(func(s *setting) { s.updates, s.pauses, s.pauseMax = 1, 1, 1 },
			rebuild(3, 1, 5, vDelEq, true), beat...),
		"lease, a pause": set(func(s *setting) { s.updates, s.pauses, s.pauseMax = 1, 1, 2 },
			rebuild(3, 1, 5, vDelEq, true), beat...),
		"how long a request waits":                set(func(s *setting) { s.latMax, s.patience = 1, 6 }, direct),
		"how long a request waits, one tick less": set(func(s *setting) { s.latMax, s.patience = 1, 5 }, direct),
		"how long a request waits, paused":        set(func(s *setting) { s.latMax, s.patience, s.pauses, s.pauseMax = 1, 7, 1, 2 }, direct),
		"a request whose wait is watched, in the trace of another property": set(func(s *setting) { s.patience, s.pauses, s.pauseMax = 5, 1, 1 },
			program{{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0, ttl: 2}, {verb: vIf, code: model.Refused, to: 4}, {verb: vReturn}, {verb: vAgain}}),
		"a sleep that begins when its process is stopped ends at once, even one of no time": set(func(s *setting) { s.latMin, s.latMax = 1, 2 },
			program{
				{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0, ttl: 4}, {verb: vIf, code: model.Refused, to: 8},
				{verb: vRead, v: 1}, {verb: vGo, n: firstChild}, {verb: vStop}, {verb: vWait, v: 2}, {verb: vSetXX, key: keyCache, v: 1},
			},
			program{
				{verb: vCheckpoint, n: 1}, {verb: vSleep}, {verb: vIf, code: model.Stopped, to: 5}, {verb: vExpireEq, key: keyLock, v: 0}, {verb: vGoto, to: 0},
			}...),
		"a request is live from its first effect, also if a token is made before": set(func(s *setting) { s.nodes, s.crashes = 1, 1 },
			program{{verb: vToken, v: 0}, {verb: vSetNX, key: keyLock, v: 0}, {verb: vCheckpoint}, {verb: vSleep, min: 1, max: 1}, {verb: vGoto, to: 2}}),
	}
}

// brokenBy says which properties the named settings break; the rest must hold.
var brokenBy = map[string][]rule{
	"direct":                           {noStaleOverwrite, rebuildBound},
	"nottl, a crash":                   {noOrphanedLock, rebuildBound},
	"nottl":                            {rebuildBound},
	"fixedttl":                         {mutualExclusion, noStaleOverwrite, noForeignRelease, rebuildBound},
	"fixedttl, in time":                {rebuildBound},
	"lease":                            {rebuildBound},
	"lease, a pause just short enough": {rebuildBound},
	"how long a request waits":         {rebuildBound},
	"how long a request waits, one tick less": {rebuildBound, answeredWithin},
	"how long a request waits, paused":        {rebuildBound, answeredWithin},
	"lease, a pause":                          {mutualExclusion, noStaleOverwrite, rebuildBound},

	"nottl, an evicted lock":                                        {mutualExclusion, noForeignRelease, rebuildBound},
	"lease, a partition":                                            {mutualExclusion, rebuildBound},
	"nottl, a lost reply":                                           {mutualExclusion, noForeignRelease, rebuildBound},
	"a read whose reply is lost teaches nothing":                    {noOrphanedLock, rebuildBound},
	"a failover between a wait and the write that follows at once":  {noOrphanedLock},
	"a partition between a wait and the write that follows at once": {noOrphanedLock},
}

func TestNamedSettingsAreThoseOfTheNaiveEnumeration(t *testing.T) {
	for name, s := range named() {
		t.Run(name, func(t *testing.T) {
			if skip, err := compare(s); err != nil || skip != "" {
				t.Fatalf("%s %v\n%s", skip, err, s)
			}
			want, known := brokenBy[name]
			if !known {
				return
			}
			var broken [rules]bool
			for _, r := range want {
				broken[r] = true
			}
			for r, c := range enumerate(s, oracleWorlds).best {
				if c.found != broken[r] {
					t.Errorf("%s: %s", ruleNames[r], c)
				}
			}
		})
	}
}
