package linearize

import (
	"context"
	"errors"
	"fmt"

	"github.com/anishathalye/porcupine"
)

// Object is what a history is about.
type Object struct {
	// Model is its sequential specification. States, inputs and outputs are values that are
	// told apart by how fmt prints them with %#v, states by DescribeState if there is one. It has no
	// partitions: it is of one of them.
	Model porcupine.Model
	// Outputs returns all outputs that an operation with the input may have in the state.
	// It may return too many: those that Step refuses do not count.
	Outputs func(state, input any) []any
	// Mentions reports whether a state or an input mentions a client; nil if clients are
	// never gone.
	Mentions func(stateOrInput any, client int) bool
}

// Valid reports what the object lacks.
func (o *Object) Valid() error {
	switch {
	case o.Model.Init == nil || o.Model.Step == nil && o.Model.StepContext == nil:
		return errors.New("its model needs Init and Step")
	case o.Model.Partition != nil || o.Model.PartitionEvent != nil:
		return errors.New("its model has partitions: make it the model of one of them, and give each a property of its own")
	case o.Outputs == nil:
		return errors.New("it needs Outputs: what an operation that has not returned may do cannot be known otherwise")
	}
	return nil
}

// step returns the step function of the model.
func (o *Object) step() func(state, input, output any) (bool, any) {
	if o.Model.StepContext == nil {
		return o.Model.Step
	}
	return func(state, input, output any) (bool, any) {
		return o.Model.StepContext(context.Background(), state, input, output)
	}
}

// text tells inputs and outputs apart, whatever they have as a String method.
func text(v any) string { return fmt.Sprintf("%#v", v) }
