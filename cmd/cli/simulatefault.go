package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"lockstep/faults"
	"lockstep/model"
	"lockstep/scheduler"
	"lockstep/scheduler/distribution"
)

// faultsFlag are the faults of a simulation, each written as simulatedFault reads it. One
// of a kind that is there already takes its place.
type faultsFlag struct{ to *[]scheduler.SimulatedFault }

func (f *faultsFlag) Type() string { return "fault" }

func (f *faultsFlag) String() string {
	if f.to == nil || len(*f.to) == 0 {
		return ""
	}
	return strings.Join(f.GetSlice(), ", ")
}

// GetSlice returns the faults as they are written.
func (f *faultsFlag) GetSlice() []string {
	texts := []string{}
	for _, fault := range *f.to {
		texts = append(texts, simulatedFaultText(fault))
	}
	return texts
}

// Append adds a fault.
func (f *faultsFlag) Append(text string) error { return f.Set(text) }

// Replace puts other faults in the place of all.
func (f *faultsFlag) Replace(texts []string) error {
	*f.to = nil
	for _, text := range texts {
		if err := f.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// Set adds faults, with commas in between.
func (f *faultsFlag) Set(text string) error {
	for part := range strings.SplitSeq(text, ",") {
		fault, err := parseSimulatedFault(part)
		if err != nil {
			return err
		}
		*f.to = withFault(*f.to, fault)
	}
	return nil
}

// withFault returns faults with another one, in the place of one of its kind.
func withFault(all []scheduler.SimulatedFault, fault scheduler.SimulatedFault) []scheduler.SimulatedFault {
	same := func(f scheduler.SimulatedFault) bool { return f.Fault.Name() == fault.Fault.Name() }
	if i := slices.IndexFunc(all, same); i >= 0 {
		all = slices.Clone(all)
		all[i] = fault
		return all
	}
	return append(slices.Clip(all), fault)
}

// strikesOperations reports whether faults of a kind have a share of the operations.
func strikesOperations(k faults.Kind) bool {
	return k.New(1, model.Between(time.Second, time.Second)).Strikes() == model.OnOperation
}

// faultSyntax says how a fault of a kind is written.
func faultSyntax(k faults.Kind) string {
	text := k.Name + " every 10s"
	switch {
	case k.Shape == faults.CountRate:
		return k.Name + " by 1%"
	case strikesOperations(k):
		text = k.Name + " of 0.1%"
	}
	switch k.Shape {
	case faults.CountLongest, faults.CountRange:
		text += " for 0s..2s"
	case faults.CountAmount:
		text += " by 2s"
	}
	return text
}

// parseSimulatedFault reads a fault: its name, every and the mean time until it strikes (again),
// or of and which part of the operations it strikes, then for how long, or by how much; a clock that
// drifts does so all the time.
func parseSimulatedFault(text string) (f scheduler.SimulatedFault, err error) {
	words := strings.Fields(text)
	if len(words) == 0 {
		return f, fmt.Errorf("a fault has a name; write it as pause every 1m for 0s..5s, or lost-reply of 0.1%%")
	}
	kinds := faults.Kinds()
	i := slices.IndexFunc(kinds, func(k faults.Kind) bool { return k.Name == words[0] })
	if i < 0 {
		var names []string
		for _, k := range kinds {
			names = append(names, k.Name)
		}
		return f, unknown("fault", words[0], names)
	}
	k := kinds[i]
	want := strings.Fields(faultSyntax(k))
	if len(words) != len(want) {
		return f, fmt.Errorf("the fault %q cannot be read; write it as %s", strings.TrimSpace(text), faultSyntax(k))
	}
	var took model.Range
	for at := 1; at < len(want); at += 2 {
		if words[at] != want[at] {
			return f, fmt.Errorf("the fault %q cannot be read; write it as %s", strings.TrimSpace(text), faultSyntax(k))
		}
		value := words[at+1]
		switch want[at] {
		case "every":
			f.Every, err = model.ParseDuration(value)
		case "of":
			var perSecond time.Duration
			perSecond, err = faults.ParseRate(value)
			if f.Share = perSecond.Seconds(); err == nil && (perSecond <= 0 || perSecond > time.Second) {
				err = fmt.Errorf("a share of %s: it must be more than 0 and at most 100%%", value)
			}
		case "for":
			if f.Lasts, err = distribution.Parse(value); err == nil {
				took = f.Lasts.Range()
			}
		case "by":
			read := model.ParseDuration
			if k.Shape == faults.CountRate {
				read = faults.ParseRate
			}
			took.Max, err = read(value)
		}
		if err != nil {
			return f, fmt.Errorf("the fault %s: %w", k.Name, err)
		}
	}
	if k.Shape != faults.Count && k.Shape != faults.CountRange && took.Max <= 0 && k.Name != "failover" {
		return f, fmt.Errorf("the fault %s: it would last for 0s, or change nothing; write more", k.Name)
	}
	f.Fault = k.New(faults.MaxBudget, took)
	return f, nil
}

// simulatedFaultText writes a fault as parseSimulatedFault reads it.
func simulatedFaultText(f scheduler.SimulatedFault) string {
	text := fmt.Sprintf("%s every %s", f.Fault.Name(), model.FormatDuration(f.Every))
	if _, drifts := f.Fault.(model.Drifting); drifts {
		text = f.Fault.Name()
	}
	if f.Share > 0 {
		text = fmt.Sprintf("%s of %s", f.Fault.Name(), faults.FormatRate(time.Duration(f.Share*float64(time.Second)+0.5)))
	}
	switch _, amount, _ := strings.Cut(f.Fault.Value(), "x"); {
	case f.Lasts != nil:
		text += " for " + f.Lasts.String()
	case amount != "":
		text += " by " + amount
	}
	return text
}
