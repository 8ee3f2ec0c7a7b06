package checks

import (
	"fmt"

	"lockstep/model"
)

// NoStaleSet is the property that nothing is stored under a key that is older than the last
// invalidation of that key: a value that was computed from a version of the source before
// the one at which the Update role last deleted the key. It is what an invalidation is
// for, and what a reader that read before it and stores afterwards breaks.
func NoStaleSet() model.Property { return noStaleSet{} }

type noStaleSet struct{}

func (noStaleSet) Name() string    { return "no-stale-set" }
func (noStaleSet) Rule() string    { return "no value is stored that is older than the last invalidation" }
func (noStaleSet) Vacuous() string { return "nothing was ever stored after an invalidation" }

// Memory has, for each key, the version of the source at its last invalidation.
func (noStaleSet) Memory() int { return model.MaxKeys }

func (noStaleSet) Check(s *model.State, e *model.Event, invalidated []byte) model.Outcome {
	var outcome model.Outcome
	for i := range e.Changes {
		c := &e.Changes[i]
		if c.Deleted && e.Process >= 0 && s.Nodes[e.Node].Class == model.Updater {
			invalidated[c.Key] = s.Source
		}
		if !c.Written || c.After.Value.Kind != model.KindVersion || invalidated[c.Key] == 0 {
			continue
		}
		outcome |= model.Exercised
		if c.After.Value.N < invalidated[c.Key] {
			outcome |= model.Violated
		}
	}
	return outcome
}

// removes reports whether nothing is under the key after the step.
func removes(s *model.TraceStep, key string) bool {
	for _, c := range s.Changes {
		if c.Key == key && c.After == "" {
			return true
		}
	}
	return false
}

func (noStaleSet) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if c.After == "" || c.After[0] != 'v' {
			continue
		}
		for i := len(t.Steps) - 2; i >= 0; i-- {
			if s := &t.Steps[i]; s.Node != "" && s.Node[0] == 'u' && (s.Operation == "Del" && s.Key == c.Key || removes(s, c.Key)) {
				return fmt.Sprintf("%s stored %s under %s, which %s had invalidated at %s since the source had changed",
					last.Process, versionName(c.After), keyName(c.Key), s.Process, model.FormatDuration(s.Time))
			}
		}
	}
	return last.Process + " stored a value that is older than the last invalidation"
}
