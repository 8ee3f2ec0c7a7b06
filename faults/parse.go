package faults

import (
	"fmt"
	"strconv"
	"strings"

	"lockstep/model"
)

// Named returns the fault of the given kind whose budget is written as text, in the form that
// Value of the fault has.
func Named(name, text string) (model.Fault, error) {
	for _, k := range Kinds() {
		if k.Name != name {
			continue
		}
		times, took, err := k.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return k.New(times, took), nil
	}
	return nil, fmt.Errorf("no fault is called %q; lockstep faults shows them all", name)
}

// Parse reads a budget, as in 1 or 1x12s: how many, and what the shape of the kind says more.
// 0 stands for none.
func (k Kind) Parse(text string) (times int, took model.Range, err error) {
	if text == "0" {
		return 0, took, nil
	}
	number, rest, ok := text, "", true
	more := k.Shape != Count
	if more {
		number, rest, ok = strings.Cut(text, "x")
	}
	times, err = strconv.Atoi(number)
	if err != nil || !ok || times < 0 && more {
		return 0, took, fmt.Errorf("%q is not %s", text, k.Shape.wanted())
	}
	switch k.Shape {
	case CountLongest, CountAmount:
		took.Max, err = model.ParseDuration(rest)
	case CountRange:
		took, err = model.ParseRange(rest)
	case CountRate:
		took.Max, err = ParseRate(rest)
	}
	return times, took, err
}

// wanted says what a budget is to be.
func (s Shape) wanted() string {
	return [...]string{
		Count:        "a number of faults; write it as 1",
		CountLongest: "a number of faults and their longest duration; write it as 1x12s",
		CountAmount:  "a number of faults and by how much; write it as 1x30s",
		CountRange:   "a number of faults and the range of their duration; write it as 1x5s..30s",
		CountRate:    "a number of clocks and by how much they drift; write it as 1x1%",
	}[s]
}

// WithBudget returns a fault like f of which a run may contain so many; f must be of one of
// the kinds that [Kinds] lists.
func WithBudget(f model.Fault, times int) (model.Fault, error) {
	for _, k := range Kinds() {
		if k.Name != f.Name() {
			continue
		}
		_, took, err := k.Parse(f.Value())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k.Name, err)
		}
		return k.New(times, took), nil
	}
	return nil, fmt.Errorf("the fault %s is of no kind that is known, so its budget cannot be changed", f.Name())
}
