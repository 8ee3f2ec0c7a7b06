package checks

import (
	"fmt"

	"lockstep/model"
)

// NoForeignRenewal is the property that nobody renews a lock that carries another's token,
// whose lease would go on without its owner, or end later than its owner thinks. Whose a
// token is is said at [NoForeignRelease].
func NoForeignRenewal() model.Property { return noForeignRenewal{} }

type noForeignRenewal struct{}

func (noForeignRenewal) Name() string    { return "no-foreign-renewal" }
func (noForeignRenewal) Rule() string    { return "nobody renews a lock that carries another's token" }
func (noForeignRenewal) Vacuous() string { return "no lock was ever renewed" }
func (noForeignRenewal) Memory() int     { return 0 }

func (noForeignRenewal) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	renewals(s, e, func(p *model.Process, c *model.Change) {
		outcome |= model.Exercised
		if c.Owner != model.OwnerOf(p) {
			outcome |= model.Violated
		}
	})
	return outcome
}

func (noForeignRenewal) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if c.Before != "" && c.Before == c.After && c.Owner != "" && !sameFamily(c.Owner, last.Process) {
			return fmt.Sprintf("%s renewed %s, which by then belonged to %s (since %s)", last.Process, keyName(c.Key), c.Owner, model.FormatDuration(c.Since))
		}
	}
	return last.Process + " renewed a lock whose token it no longer had"
}
