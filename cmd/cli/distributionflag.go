package cli

import (
	"lockstep/model"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// distributionFlag is a distribution that need not be there.
type distributionFlag struct {
	to *distribution.Distribution
	// none says what is so without one.
	none string
}

func (f *distributionFlag) String() string {
	if f.to == nil || *f.to == nil {
		return f.none
	}
	return (*f.to).String()
}
func (f *distributionFlag) Type() string { return "distribution" }
func (f *distributionFlag) Set(text string) error {
	d, err := distribution.Parse(text)
	if err == nil {
		*f.to = d
	}
	return err
}

// latencyFlag is a latency: a range as for check, or another distribution.
type latencyFlag struct{ of *scheduler.Simulation }

func (f *latencyFlag) String() string {
	switch {
	case f.of == nil:
		return ""
	case f.of.LatencyOf != nil:
		return f.of.LatencyOf.String()
	}
	return f.of.Latency.String()
}
func (f *latencyFlag) Type() string { return "distribution" }
func (f *latencyFlag) Set(text string) error {
	d, err := distribution.Parse(text)
	if err != nil {
		return err
	}
	f.of.LatencyOf = d
	if r, err := model.ParseRange(text); err == nil {
		f.of.Latency, f.of.LatencyOf = r, nil
	}
	return nil
}

// arrivalsFlag says when requests arrive.
type arrivalsFlag struct{ to *distribution.Arrivals }

func (f *arrivalsFlag) String() string {
	if f.to == nil || *f.to == nil {
		return ""
	}
	return (*f.to).String()
}
func (f *arrivalsFlag) Type() string { return "arrivals" }
func (f *arrivalsFlag) Set(text string) error {
	a, err := distribution.ParseArrivals(text)
	if err == nil {
		*f.to = a
	}
	return err
}
