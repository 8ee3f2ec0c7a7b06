package cli

import (
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
	times, took, err := f.kind.Parse(text)
	if err == nil {
		f.times, f.took = times, took
	}
	return err
}
