package checks

import (
	"flag"
	"fmt"
	"os"
	"strconv"

	"lockstep/model"
	"lockstep/scheduler"
)

// ShortStates is how many states Verify stores at most with go test -short.
const ShortStates = 100_000

// short reports whether go test runs with -short.
func short() bool {
	f := flag.Lookup("test.short")
	return f != nil && f.Value.String() == "true"
}

// Environment returns the options that the environment asks for, by variables that are
// called as the flags of lockstep check: LOCKSTEP_MAX_STATES and LOCKSTEP_WORKERS are whole
// numbers, LOCKSTEP_MAX_TIME is a duration as 30s, LOCKSTEP_MAX_MEMORY an amount as 2GB. 0,
// or an empty variable, is no limit.
func Environment() (scheduler.Options, error) {
	o := scheduler.Options{}
	var err error
	read := func(name, wanted string, set func(text string) error) {
		text := os.Getenv(name)
		if text == "" || err != nil {
			return
		}
		if set(text) != nil {
			err = fmt.Errorf("%s=%s: write it as %s", name, text, wanted)
		}
	}
	number := func(to *int) func(string) error {
		return func(text string) error {
			n, err := strconv.ParseUint(text, 10, 31)
			*to = int(n)
			return err
		}
	}
	read("LOCKSTEP_MAX_STATES", "a whole number, 0 for no limit", number(&o.MaxStates))
	read("LOCKSTEP_WORKERS", "a whole number, 0 for one a processor", number(&o.Workers))
	read("LOCKSTEP_MAX_TIME", "a duration, as 30s", func(text string) (err error) {
		o.MaxTime, err = model.ParseDuration(text)
		return err
	})
	read("LOCKSTEP_MAX_MEMORY", "an amount, as 500MB or 2GB", func(text string) (err error) {
		o.MaxMemory, err = model.ParseSize(text)
		return err
	})
	return o, err
}
