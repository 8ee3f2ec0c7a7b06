package checks

import (
	"fmt"
	"strconv"

	"lockstep/model"
)

// StoreCommands is the property that the requests and what they spawn send at most
// bound commands to the stores, all together, from the beginning to the end of a
// run. A script is one command. A command counts when it gets to the store; those of
// updates do not count. bound is 0 to
// MaxBound.
func StoreCommands(bound int) model.Property { return storeCommands{bound} }

type storeCommands struct{ bound int }

func (p storeCommands) Argument() string { return strconv.Itoa(p.bound) }

func (storeCommands) Name() string { return "store-commands" }
func (p storeCommands) Rule() string {
	return fmt.Sprintf("the requests send at most %s to the stores", model.Count(p.bound, "command", "commands"))
}
func (storeCommands) Vacuous() string { return "no command was ever sent" }

// Memory is the number of commands; it stays one above the bound.
func (storeCommands) Memory() int { return 1 }

func (p storeCommands) Check(s *model.State, e *model.Event, count []byte) model.Outcome {
	if !e.Reached || !e.Operation.OnStore() || s.Nodes[e.Node].Class != model.Service {
		return 0
	}
	return countUp(count, p.bound)
}

// Counted returns the number in the monitor's memory.
func (storeCommands) Counted(_ *model.State, memory []byte) int { return int(memory[0]) }

// Valid refuses a bound that cannot be counted.
func (p storeCommands) Valid() error { return validBound(p.Name(), p.bound) }

func (p storeCommands) Explain(t *model.Trace) string {
	last := &t.Steps[len(t.Steps)-1]
	return fmt.Sprintf("%s sent command number %d", last.Process, p.bound+1)
}
