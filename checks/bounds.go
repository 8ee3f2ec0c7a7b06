package checks

import (
	"fmt"

	"lockstep/model"
)

// MaxBound is the largest count that a property can allow: one more is still told
// from it in a byte.
const MaxBound = 254

// validBound is the error of a property whose bound cannot be counted.
func validBound(name string, bound int) error {
	if bound < 0 || bound > MaxBound {
		return fmt.Errorf("%s with a bound of %d: it must be 0 to %d", name, bound, MaxBound)
	}
	return nil
}

// countUp adds one to the count in the memory, which stays one above the bound, and
// says whether it exceeds the bound.
func countUp(memory []byte, bound int) model.Outcome {
	if int(memory[0]) <= bound {
		memory[0]++
	}
	if int(memory[0]) > bound {
		return model.Exercised | model.Violated
	}
	return model.Exercised
}
