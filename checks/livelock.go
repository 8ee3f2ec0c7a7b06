package checks

import "lockstep/model"

// NoLivelock is the property that no livelock is reachable: a dead end, in the sense of
// [Answered], in which there is never rest, since whatever happens a request that is live, or
// something that it has spawned, is bound to take a further step. Where the requests wait for
// something that never comes there is rest, and a deadlock: that is for [Answered] alone.
//
// A loop that luck can end is no livelock: some continuation ends it. [AnsweredWithin] asks
// that all of them do, and in time. A loop that takes no time lets nobody else get on: that is
// for [RestartWindow], which bounds how often requests start over.
//
// What it reports is always true. Where only part of the times of a state is stuck, and where
// what goes on may also come to rest, it may stay silent.
func NoLivelock() model.Property { return noLivelock{} }

type noLivelock struct{ answered }

func (noLivelock) Name() string { return "no-livelock" }
func (noLivelock) Rule() string {
	return "requests never go on for ever without a way to be answered"
}

func (noLivelock) Asks(s *model.State, p *model.Process) bool {
	for i := range s.Processes {
		if q := &s.Processes[i]; q.Node == p.Node && q.Family == p.Family && awaited(q) {
			return true
		}
	}
	return false
}

func (noLivelock) Explain(t *model.Trace) string {
	return deadEnd(t, "goes on for ever and can never be answered")
}
