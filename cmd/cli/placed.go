package cli

import (
	"errors"

	"lockstep/scheduler"
)

// placedError is an error about something that does not stand on the command line.
type placedError struct {
	// place is FILE:LINE:COLUMN, or the name of a variable.
	place string
	err   error
}

func (e *placedError) Error() string { return e.place + ": " + e.err.Error() }

// Unwrap returns the error without its place.
func (e *placedError) Unwrap() error { return e.err }

// places says where the values of flags are from that are not given on the command
// line.
type places struct {
	// flags has the place of the key or the variable for the name of each flag.
	flags map[string]string
	// values has the place of each value.
	values map[flagValue]string
}

// flagValue is a flag and one text that it is set to.
type flagValue struct{ flag, text string }

func newPlaces() *places {
	return &places{flags: map[string]string{}, values: map[flagValue]string{}}
}

// locate adds to an error the place of what it is about, if that is known.
func (p *places) locate(err error) error {
	var wrongValue *usageError
	if errors.As(err, &wrongValue) {
		if place, ok := p.values[flagValue{wrongValue.flag, wrongValue.value}]; ok {
			return &placedError{place, err}
		}
	}
	var scenario *scheduler.ScenarioError
	if errors.As(err, &scenario) {
		for _, setting := range scenario.Settings {
			if place, ok := p.flags[setting]; ok {
				return &placedError{place, err}
			}
		}
	}
	return err
}
