package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"lockstep/faults"
	"lockstep/model"
)

// faultFlag is the budget of a kind of fault.
type faultFlag struct {
	kind  faults.Kind
	times int
	took  model.Range
}

// newFaultFlags returns the flags of all kinds, of which a run contains none.
func newFaultFlags() []*faultFlag {
	var all []*faultFlag
	for _, k := range faults.Kinds() {
		all = append(all, &faultFlag{kind: k})
	}
	return all
}

func registerFaults(flags *pflag.FlagSet, all []*faultFlag) {
	for _, f := range all {
		flags.Var(f, f.kind.Name, f.kind.Meaning)
	}
}

func (f *faultFlag) fault() model.Fault { return f.kind.New(f.times, f.took) }

func (f *faultFlag) String() string {
	if f.times == 0 {
		return "0"
	}
	return f.fault().Value()
}

// Types of flags for faults, by shape.
const (
	typeCount        = "N"
	typeCountLongest = "NxD"
	typeCountAmount  = "NxBY"
	typeCountRange   = "NxRANGE"
	typeCountRate    = "NxRATE"
)

func (f *faultFlag) Type() string {
	return [...]string{
		faults.Count: typeCount, faults.CountLongest: typeCountLongest, faults.CountAmount: typeCountAmount,
		faults.CountRange: typeCountRange, faults.CountRate: typeCountRate,
	}[f.kind.Shape]
}

func (f *faultFlag) parts() []part {
	times := part{"times", (*countFlag)(&f.times)}
	switch f.kind.Shape {
	case faults.CountLongest:
		return []part{times, {"max", (*durationFlag)(&f.took.Max)}}
	case faults.CountAmount:
		return []part{times, {"by", (*durationFlag)(&f.took.Max)}}
	case faults.CountRange:
		return []part{times, {"after", (*rangeFlag)(&f.took)}}
	case faults.CountRate:
		return []part{times, {"rate", (*rateFlag)(&f.took.Max)}}
	}
	return []part{times}
}

func (f *faultFlag) Set(text string) error {
	if text == "0" {
		f.times, f.took = 0, model.Range{}
		return nil
	}
	number, rest := text, ""
	more := f.kind.Shape != faults.Count
	ok := true
	if more {
		number, rest, ok = strings.Cut(text, "x")
	}
	times, err := strconv.Atoi(number)
	if err != nil || !ok || times < 0 && more {
		switch f.kind.Shape {
		case faults.CountLongest:
			return fmt.Errorf("%q is not a number of faults and their longest duration; write it as 1x12s", text)
		case faults.CountAmount:
			return fmt.Errorf("%q is not a number of faults and by how much; write it as 1x30s", text)
		case faults.CountRange:
			return fmt.Errorf("%q is not a number of faults and the range of their duration; write it as 1x5s..30s", text)
		case faults.CountRate:
			return fmt.Errorf("%q is not a number of clocks and by how much they drift; write it as 1x1%%", text)
		}
		return fmt.Errorf("%q is not a number of faults; write it as 1", text)
	}
	took := model.Range{}
	switch f.kind.Shape {
	case faults.CountLongest, faults.CountAmount:
		took.Max, err = model.ParseDuration(rest)
	case faults.CountRange:
		took, err = model.ParseRange(rest)
	case faults.CountRate:
		took.Max, err = faults.ParseRate(rest)
	}
	if err != nil {
		return err
	}
	f.times, f.took = times, took
	return nil
}
