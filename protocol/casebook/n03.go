package casebook

import (
	"time"

	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "N-03", Rank: 115, Kind: NegativeControl,
		Title: "The caller that loads is told that the result is shared",
		Lesson: `The report takes "shared" to mean that somebody else has done the work, and finds it set
for the one that did it. It means that the result was given to more than one: true for all
of them, the first included, and false only for a caller that nobody joined. Who must copy
what it gets before it changes it needs just that. A property has to be about what is
promised, else a checker flags what is right.`,
		Sources: []string{"https://github.com/golang/go/issues/74880"},
		Checks: []Check{
			{
				Shows: "set for all if there are several", Property: sharedMeansSeveral(),
				After: toldShared{}, World: world(1, 0).requests(2), Unrepaired: sharedMeansOthersWork(),
			},
		},
	})
}

// toldShared marks that it is told so.
type toldShared struct{}

func (p toldShared) Handle(c *protocol.Client) protocol.Answer {
	v, err, shared := c.Do("feed", func() (protocol.Value, error) {
		return c.Rebuild(protocol.Range{Min: time.Second, Max: 2 * time.Second})
	})
	if shared {
		c.Acquired(toldItIsShared)
	}
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}
