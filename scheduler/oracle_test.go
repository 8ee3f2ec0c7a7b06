package scheduler_test

import (
	"errors"
	"flag"
	"sync"
	"sync/atomic"
	"testing"

	"lockstep/scheduler"
)

var (
	oracleCases = flag.Int("oracle", 250, "how many random cases the engine is compared on")
	oracleFirst = flag.Int("oracle-first", 0, "the first random case")
)

// oracleWorlds is how large an enumeration may become.
const oracleWorlds = 30_000

// outcome of a comparison: an error, or why the case says nothing.
func compare(s *setting) (skip string, err error) {
	e := enumerate(s, oracleWorlds)
	switch {
	case e.endless:
		return "endless", nil
	case e.tooMany:
		return "too large", nil
	}
	r, err := engine(s, scheduler.Options{})
	if errors.Is(err, errUseless) {
		return err.Error(), nil
	}
	if err != nil {
		return "", err
	}
	if err := compareVerdicts(s, e, r); err != nil {
		return "", err
	}
	if err := compareStates(s, e); err != nil {
		return "", err
	}
	return "", compareReductions(s, r)
}

// TestVerdictsAndCostsAreThoseOfTheNaiveEnumeration holds the engine against the
// oracle. The cases are the same in every run; more of them, or others, with
//
//	go test ./scheduler -run NaiveEnumeration -oracle 100000 -oracle-first 1000
func TestVerdictsAndCostsAreThoseOfTheNaiveEnumeration(t *testing.T) {
	var compared, found atomic.Int64
	var lock sync.Mutex
	skipped := map[string]int{}
	var next atomic.Int64
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for found.Load() < 5 {
				n := int(next.Add(1)) - 1
				if n >= *oracleCases {
					return
				}
				s := settings.Example(*oracleFirst + n)
				skip, err := compare(s)
				if err != nil {
					found.Add(1)
					small, err := shrink(s, err)
					t.Errorf("case %d: %v\n%s", *oracleFirst+n, err, small)
					continue
				}
				if skip != "" {
					lock.Lock()
					skipped[skip]++
					lock.Unlock()
					continue
				}
				compared.Add(1)
			}
		})
	}
	group.Wait()
	t.Logf("%d cases compared", compared.Load())
	for why, n := range skipped {
		t.Logf("%d cases skipped: %s", n, why)
	}
	if int(compared.Load()) < *oracleCases*2/3 && found.Load() == 0 {
		t.Errorf("only %d cases of %d were compared", compared.Load(), *oracleCases)
	}
}
