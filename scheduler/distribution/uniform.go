package distribution

import (
	"math/rand/v2"
	"time"

	"lockstep/model"
)

// Uniform returns the distribution of any time within the range, in nanoseconds, each as
// likely as any other, both ends included.
func Uniform(r model.Range) Distribution { return uniform(r) }

type uniform model.Range

func (u uniform) Sample(r rand.Source) time.Duration {
	return u.Min + time.Duration(below(r, uint64(u.Max-u.Min)+1))
}

func (u uniform) Range() model.Range { return model.Range(u) }

func (u uniform) String() string { return model.Range(u).String() }
