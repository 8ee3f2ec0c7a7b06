package distribution_test

import (
	"fmt"
	"math/rand/v2"

	"lockstep/scheduler/distribution"
)

// A rebuild that takes 2 s in half of all cases, and more than 25 s in one of a hundred.
func ExampleParse() {
	rebuild, err := distribution.Parse("lognormal:2s..25s")
	if err != nil {
		fmt.Println(err)
		return
	}
	random := rand.NewPCG(1, 2)
	fmt.Println(rebuild, rebuild.Sample(random), rebuild.Sample(random))
	// Output: lognormal:2s..25s 8.568711s 3.891565s
}
