package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
)

// WriteCSV writes a line of names and a line for each point: its number and its values, the
// verdict on each property and its cost, in how many runs each was violated with the 95 %
// confidence interval of their share, and each measurement's mean over the runs with the half
// width of its 95 % confidence interval, its least, median and most. Waits are in seconds.
func (s *Sweep) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	properties, breaches := s.properties()
	names := []string{"point"}
	for _, a := range s.Plan.Axes {
		names = append(names, a.Name)
	}
	if s.Plan.Check {
		names = append(names, "exhausted", "rebuilds_worst", "rebuilds_at_least")
		for _, p := range properties {
			names = append(names, p, p+"_faults", p+"_steps")
		}
	}
	if s.Plan.Simulate {
		names = append(names, "runs")
		for _, p := range breaches {
			names = append(names, p+"_violated_runs", p+"_violated_low95", p+"_violated_high95")
		}
		for _, m := range measurements() {
			names = append(names, m.name+"_mean", m.name+"_margin95", m.name+"_least", m.name+"_median", m.name+"_most")
		}
	}
	if err := out.Write(names); err != nil {
		return err
	}
	for _, p := range s.Points {
		record := append([]string{strconv.Itoa(p.Number)}, p.Values...)
		if p.Check != nil {
			record = append(record, p.Check.record(properties)...)
		}
		if p.Simulation != nil {
			record = append(record, p.Simulation.record(breaches)...)
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// properties are the names of those that are checked and of those that simulations follow, at
// any point, in the order in which they are met.
func (s *Sweep) properties() (checked, followed []string) {
	seen := [2]map[string]bool{{}, {}}
	note := func(kind int, to *[]string, name string) {
		if !seen[kind][name] {
			seen[kind][name] = true
			*to = append(*to, name)
		}
	}
	for _, p := range s.Points {
		if p.Check != nil {
			for _, v := range p.Check.Verdicts {
				note(0, &checked, v.Property)
			}
		}
		if p.Simulation != nil {
			for _, v := range p.Simulation.Violations {
				note(1, &followed, v.Property)
			}
		}
	}
	return checked, followed
}

// Properties returns the names of those that are checked, in their order.
func (s *Sweep) Properties() []string {
	checked, _ := s.properties()
	return checked
}

func (c *Checked) record(properties []string) []string {
	record := []string{strconv.FormatBool(c.Exhausted), "", ""}
	if r := c.Rebuilds; r != nil {
		record[1], record[2] = strconv.Itoa(r.Rebuilds), strconv.FormatBool(r.AtLeast)
	}
	for _, name := range properties {
		fields := []string{"", "", ""}
		for _, v := range c.Verdicts {
			if v.Property == name {
				fields[0] = string(v.Verdict)
				if v.Steps > 0 {
					fields[1], fields[2] = strconv.Itoa(v.Faults), strconv.Itoa(v.Steps)
				}
			}
		}
		record = append(record, fields...)
	}
	return record
}

func (s *Simulated) record(properties []string) []string {
	record := []string{strconv.Itoa(s.Runs)}
	for _, name := range properties {
		fields := []string{"", "", ""}
		for _, v := range s.Violations {
			if v.Property == name {
				fields = []string{strconv.Itoa(v.Runs), number(v.Low), number(v.High)}
			}
		}
		record = append(record, fields...)
	}
	for _, m := range measurements() {
		sum, ok := s.Measure(m.name)
		if !ok {
			record = append(record, "", "", "", "", "")
			continue
		}
		for _, v := range []float64{sum.Mean, sum.Margin, sum.Least, sum.Median, sum.Most} {
			record = append(record, number(v))
		}
	}
	return record
}

func number(v float64) string { return fmt.Sprintf("%.6g", v) }
