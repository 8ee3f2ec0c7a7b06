package cli

import (
	"fmt"
	"strconv"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
)

// Flags of types that pflag does not have.

type rangeFlag model.Range

func (f *rangeFlag) String() string { return model.Range(*f).String() }
func (f *rangeFlag) Type() string   { return "range" }
func (f *rangeFlag) Set(text string) error {
	r, err := model.ParseRange(text)
	*f = rangeFlag(r)
	return err
}

type durationFlag time.Duration

func (f *durationFlag) String() string { return model.FormatDuration(time.Duration(*f)) }
func (f *durationFlag) Type() string   { return "duration" }
func (f *durationFlag) Set(text string) error {
	d, err := model.ParseDuration(text)
	*f = durationFlag(d)
	return err
}

// rateFlag is by how much a clock drifts each second.
type rateFlag time.Duration

func (f *rateFlag) String() string { return faults.FormatRate(time.Duration(*f)) }
func (f *rateFlag) Type() string   { return "rate" }
func (f *rateFlag) Set(text string) error {
	d, err := faults.ParseRate(text)
	*f = rateFlag(d)
	return err
}

// windowFlag is a duration that need not be there.
type windowFlag struct{ to **time.Duration }

const anyTime = "any"

func (f *windowFlag) String() string {
	if f.to == nil || *f.to == nil {
		return anyTime
	}
	return model.FormatDuration(**f.to)
}
func (f *windowFlag) Type() string { return "duration" }
func (f *windowFlag) Set(text string) error {
	if text == anyTime {
		*f.to = nil
		return nil
	}
	d, err := model.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%w, or %s for no limit", err, anyTime)
	}
	*f.to = &d
	return nil
}

// countFlag is a whole number of 0 or more.
type countFlag int

func (f *countFlag) String() string { return strconv.Itoa(int(*f)) }
func (f *countFlag) Type() string   { return "int" }
func (f *countFlag) Set(text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return fmt.Errorf("%q is not a count; write a whole number of 0 or more", text)
	}
	*f = countFlag(n)
	return nil
}

type parameterFlag struct {
	protocol  any
	parameter protocol.Parameter
}

func (f *parameterFlag) String() string {
	if f.protocol == nil {
		return ""
	}
	text, _ := protocol.ParameterText(f.protocol, f.parameter.Name)
	return text
}
func (f *parameterFlag) Type() string { return f.parameter.Kind }
func (f *parameterFlag) Set(text string) error {
	return protocol.SetParameter(f.protocol, f.parameter.Name, text)
}

// sizeFlag is an amount of memory in bytes.
type sizeFlag int64

func (f *sizeFlag) String() string {
	if *f == 0 {
		return "0"
	}
	return formatBytes(int64(*f))
}
func (f *sizeFlag) Type() string { return "size" }
func (f *sizeFlag) Set(text string) error {
	n, err := model.ParseSize(text)
	if err == nil {
		*f = sizeFlag(n)
	}
	return err
}
