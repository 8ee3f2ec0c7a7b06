package protocol

import "lockstep/model"

// Answer is how a request ends.
type Answer struct {
	kind  model.AnswerKind
	value Value
	// key is the one for which the request asked, if it says so.
	key   string
	again bool
	// source is where a try was given up.
	source model.Source
}

// Fresh answers with a value.
func Fresh(v Value) Answer { return Answer{kind: model.AnsweredFresh, value: v} }

// FreshFor answers with a value a request for a key of the cache: so that a property can tell
// whether it is the one of another; see [Source.ReadFor].
func FreshFor(key string, v Value) Answer {
	return Answer{kind: model.AnsweredFresh, value: v, key: key}
}

// Stale answers with the stale copy that the service keeps.
func Stale() Answer { return Answer{kind: model.AnsweredStale} }

// Default answers with a value that is good enough for anyone.
func Default() Answer { return Answer{kind: model.AnsweredDefault} }

// Empty answers with nothing.
func Empty() Answer { return Answer{kind: model.AnsweredEmpty} }

// Failed answers with an error.
func Failed() Answer { return Answer{kind: model.AnsweredFailed} }

// Again starts the request over, as the tail of an endless loop would: nothing
// of this try is remembered, and a lock that it left behind is not its own any
// more. It keeps a protocol that retries without end finite.
func Again() Answer { return Answer{again: true, source: caller()} }
