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
	var outcome model.Outcome
	for i := range e.Changes {
		c := &e.Changes[i]
		if !c.Written || c.After.Value.Kind != model.KindVersion {
			continue
		}
		before, after := last[c.Key], c.After.Value.N
		last[c.Key] = after
		if before != 0 {
			outcome |= model.Exercised
		}
		if before > after {
			outcome |= model.Violated
		}
	}
	return outcome
}

func (noStaleOverwrite) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	text := "an older value was written over a newer one"
	newest := map[string]string{} // the value last stored, by key
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if c.After == "" || c.After[0] != 'v' {
				continue
			}
			if over := newest[c.Key]; &t.Steps[i] == last && over != "" {
				text = fmt.Sprintf("%s wrote %s over %s", last.Process, versionName(c.After), versionName(over))
			}
			newest[c.Key] = c.After
		}
	}
	for _, key := range believedKeys(t, last.Process) {
		if since := lapse(t, key, last.Time); since != "" {
			return text + ": it still believed that it held " + keyName(key) + since
		}
	}
	return text
}
