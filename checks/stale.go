package checks

import (
	"fmt"

	"lockstep/model"
)

// NoStaleOverwrite is the property that no write takes effect whose value was
// computed from an older version of the source than the value stored, or last
// stored, under that key. It is about effects, not beliefs: it asks what the
// store accepted.
func NoStaleOverwrite() model.Property { return noStaleOverwrite{} }

type noStaleOverwrite struct{}

func (noStaleOverwrite) Name() string { return "no-stale-overwrite" }
func (noStaleOverwrite) Rule() string {
	return "no write stores a value older than the one stored, or last stored, under its key"
}
func (noStaleOverwrite) Vacuous() string { return "no value was ever written after another" }

// Memory has, for each key, the version last stored.
func (noStaleOverwrite) Memory() int { return model.MaxKeys }

func (noStaleOverwrite) Check(_ *model.State, e *model.Event, last []byte) model.Outcome {
	op := e.Operation
	if !e.Touched || op == nil || op.Kind != model.Set || e.Observation.Code() != model.Done || e.Move.Kind != model.MoveEffect ||
		e.After.Value.Kind != model.KindVersion {
		return 0
	}
	before, after := last[e.Key], e.After.Value.N
	last[e.Key] = after
	switch {
	case before > after:
		return model.Exercised | model.Violated
	case before != 0:
		return model.Exercised
	}
	return 0
}

func (noStaleOverwrite) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	if last.Change == nil {
		return "an older value was written over a newer one"
	}
	over := last.Change.Before
	if over == "" || over[0] != 'v' {
		for i := range t.Steps[:len(t.Steps)-1] {
			if c := t.Steps[i].Change; c != nil && t.Steps[i].Key == last.Key && c.After != "" {
				over = c.After
			}
		}
	}
	text := fmt.Sprintf("%s wrote %s over %s", last.Process, versionName(last.Change.After), versionName(over))
	for _, key := range believedKeys(t, last.Process) {
		if since := lapse(t, key, last.Time); since != "" {
			return text + ": it still believed that it held " + keyName(key) + since
		}
	}
	return text
}
