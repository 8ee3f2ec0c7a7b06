package distribution

import (
	"math/rand/v2"
	"time"

	"lockstep/model"
)

// Constant returns the distribution of which every draw is d.
func Constant(d time.Duration) Distribution { return constant(d) }

type constant time.Duration

func (c constant) Sample(rand.Source) time.Duration { return time.Duration(c) }
func (c constant) Range() model.Range               { return model.Exactly(time.Duration(c)) }
func (c constant) String() string                   { return model.FormatDuration(time.Duration(c)) }
