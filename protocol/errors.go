package protocol

import (
	"errors"

	"lockstep/model"
)

var (
	// ErrRefused is returned by an operation that has had no effect: the store
	// answered with an error, or the rebuild failed.
	ErrRefused = errors.New("protocol: refused")
	// ErrTimeout is returned by an operation to which no reply came: it may have taken
	// effect or not, and nothing tells which.
	ErrTimeout = errors.New("protocol: timeout")
)

// failure returns the error that the process gets.
func (r Reply) failure() error {
	switch r.Observation.Code() {
	case model.Failed:
		return ErrRefused
	case model.TimedOut:
		return ErrTimeout
	}
	return nil
}

// done reports whether the operation did something.
func (r Reply) done() (bool, error) { return r.Observation.Code() == model.Done, r.failure() }
