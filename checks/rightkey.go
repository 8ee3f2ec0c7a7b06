package checks

import (
	"fmt"
	"strings"

	"lockstep/model"
)

// RightKey is the property that no request gets, and no store keeps under a key, a value that
// was read for another key: replies are not mixed up, and who shares work shares the same
// work. It takes a protocol that says for which keys it reads and answers: with ReadFor of
// the source, RebuildFor, and protocol.FreshFor. What was read for a key is to be stored under
// that name, in whatever store, and under no other. What nodes keep in their memory is looked
// at when somebody is answered with it; what is not said to be for a key never is.
func RightKey() model.Property { return rightKey{} }

type rightKey struct {
	name func(model.KeyID) (store, key string)
}

func (rightKey) Name() string { return "right-key" }
func (rightKey) Rule() string {
	return "no request gets, and no store keeps under a key, a value that was read for another key"
}
func (rightKey) Vacuous() string {
	return "no value that was read for a key was ever stored or answered"
}
func (rightKey) Memory() int { return 0 }

func (p rightKey) WithNames(name func(model.KeyID) (store, key string)) model.Monitor {
	return rightKey{name}
}

func (p rightKey) Check(_ *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	look := func(value, asked uint8) {
		if value == 0 || asked == 0 {
			return
		}
		outcome |= model.Exercised
		if p.keyOf(value) != p.keyOf(asked) {
			outcome |= model.Violated
		}
	}
	look(e.Answer.Value.For, e.Answer.For)
	for i := range e.Changes {
		if c := &e.Changes[i]; c.Written {
			look(c.After.Value.For, uint8(c.Key)+1)
		}
	}
	return outcome
}

// keyOf returns the name of the key with a number from 1.
func (p rightKey) keyOf(number uint8) string {
	_, key := p.name(model.KeyID(number - 1))
	return key
}

func (rightKey) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if _, key, ok := strings.Cut(c.After, " of "); ok && key != keyName(c.Key) {
			return fmt.Sprintf("%s stored %s under %s", last.Process, versionName(c.After), keyName(c.Key))
		}
	}
	_, asked, _ := strings.Cut(answerOf(last, last.Process), " for ")
	return fmt.Sprintf("%s asked for %s and was answered with a value of another key", last.Process, asked)
}
