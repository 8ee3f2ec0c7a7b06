package protocol

import "lockstep/model"

// MaxChoices is how many a Choose can have to choose from.
const MaxChoices = 16

// Choose returns any number from 0 to n-1: a choice that nothing in the protocol
// decides, a random backoff or the node's version in a rolling upgrade for example. The
// search tries each. n is 1 to MaxChoices. It takes no time.
func (c *Client) Choose(n int) int {
	if n < 1 || n > MaxChoices {
		c.run.misuse("Choose: %d to choose from; it must be 1 to %d", n, MaxChoices)
	}
	return c.do(Call{Kind: model.Choose, Among: n}).Observation.Choice()
}
