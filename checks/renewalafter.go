package checks

import (
	"fmt"

	"lockstep/model"
)

// NoRenewalAfterRelease is the property that nobody renews a lock after it has been
// released: neither the process that held it, nor what the request has spawned, a
// heartbeat that does not know for example.
func NoRenewalAfterRelease() model.Property { return noRenewalAfterRelease{} }

type noRenewalAfterRelease struct{}

func (noRenewalAfterRelease) Name() string { return "no-renewal-after-release" }
func (noRenewalAfterRelease) Rule() string {
	return "no request renews a lock that it does not believe to hold"
}
func (noRenewalAfterRelease) Vacuous() string { return "no request ever renewed its lock" }
func (noRenewalAfterRelease) Memory() int     { return 0 }

func (noRenewalAfterRelease) Check(s *model.State, e *model.Event, _ []byte) model.Outcome {
	var outcome model.Outcome
	renewals(s, e, func(p *model.Process, c *model.Change) {
		if c.Owner != model.OwnerOf(p) {
			return
		}
		outcome |= model.Exercised
		if !believed(s, e, c.Owner, c.Key) {
			outcome |= model.Violated
		}
	})
	return outcome
}

func (noRenewalAfterRelease) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	for _, c := range last.Changes {
		if c.Before == "" || c.Before != c.After {
			continue
		}
		if by, at, ok := lastReleasing(t, c.Key, last.Process); ok {
			return fmt.Sprintf("%s renewed %s, which %s had begun to release at %s", last.Process, keyName(c.Key), by, model.FormatDuration(at))
		}
		return fmt.Sprintf("%s renewed %s, which its request did not believe to hold", last.Process, keyName(c.Key))
	}
	return last.Process + " renewed a lock that its request did not believe to hold"
}
