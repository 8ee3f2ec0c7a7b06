package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"lockstep/checks/sweep"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// noSetting are flags of sweep that decide no result, or that the plan has otherwise.
var noSetting = map[string]bool{
	"axis": true, "design": true, "design-seed": true, "out": true, "shard": true, "csv": true, "json": true, "no-check": true,
	"no-simulate": true, "workers": true, "property": true, "file": true, "help": true,
}

// plan is what the flags ask for. The values of axes are in it as their flags print them.
func (f *sweepFlags) plan() (*sweep.Plan, error) {
	p := &sweep.Plan{
		Protocol: f.scenario.Name, Design: sweep.Design(f.design), Check: !f.noCheck, Simulate: !f.noSimulate,
		Properties: append([]string{}, f.properties...), Settings: []model.ParameterValue{},
	}
	if p.Design != sweep.Grid {
		p.Seed = f.designSeed
	}
	if f.noCheck && len(f.properties) > 0 {
		return nil, usage("--property says what is checked, and --no-check that nothing is; leave one out").about("property", f.properties[0])
	}
	given, err := f.given()
	if err != nil {
		return nil, err
	}
	for _, text := range joinAxes(f.axes) {
		a, err := sweep.ParseAxis(text)
		if err != nil {
			return nil, usage("%w", err).about("axis", text)
		}
		for _, name := range a.Names() {
			if value, ok := given[name]; ok {
				return nil, usage("--%s %s says one value, and the axis %s several; leave one out", name, value, a.Name).about("axis", text)
			}
		}
		if err := f.normalize(&a, text); err != nil {
			return nil, err
		}
		p.Axes = append(p.Axes, a)
	}
	if _, err := p.Points(); err != nil {
		return nil, usage("%w", err)
	}
	varied := map[string]bool{}
	for _, a := range p.Axes {
		for _, name := range a.Names() {
			varied[name] = true
		}
	}
	f.flags.VisitAll(func(flag *pflag.Flag) {
		unused := f.noCheck && (f.checkOnly[flag.Name] || flag.Name == "max-states") || f.noSimulate && f.simulateOnly[flag.Name]
		if noSetting[flag.Name] || varied[flag.Name] || unused || f.follows(flag) {
			return
		}
		p.Settings = append(p.Settings, model.ParameterValue{Name: flag.Name, Value: flag.Value.String()})
	})
	slices.SortFunc(p.Settings, func(a, b model.ParameterValue) int { return strings.Compare(a.Name, b.Name) })
	return p, f.digest(p)
}

// given returns the settings that the command line gives, with their values. It refuses those
// that nothing would heed. A file and the environment may say more than a command needs.
func (f *sweepFlags) given() (map[string]string, error) {
	given := map[string]string{}
	var err error
	f.flags.Visit(func(flag *pflag.Flag) {
		if noSetting[flag.Name] {
			return
		}
		given[flag.Name] = flag.Value.String()
		switch {
		case err != nil:
		case f.noCheck && f.checkOnly[flag.Name]:
			err = usage("--%s is about the check, and --no-check leaves that out; leave one of them out", flag.Name)
		case f.noSimulate && f.simulateOnly[flag.Name]:
			err = usage("--%s is about the simulation, and --no-simulate leaves that out; leave one of them out", flag.Name)
		}
	})
	return given, err
}

// joinAxes puts values that stand alone to the axis before them: a variable of the environment
// is divided at all commas.
func joinAxes(texts []string) []string {
	var axes []string
	for _, text := range texts {
		if len(axes) > 0 && !strings.Contains(text, "=") {
			axes[len(axes)-1] += "," + text
			continue
		}
		axes = append(axes, text)
	}
	return axes
}

// follows reports whether the flag has the value of another: it is a sim- flag that is not
// given.
func (f *sweepFlags) follows(flag *pflag.Flag) bool {
	return !flag.Changed && slices.ContainsFunc(f.both, func(s sharedFlag) bool { return s.to == flag })
}

// normalize checks that an axis is about flags that can vary, and writes its values as these
// print them.
func (f *sweepFlags) normalize(a *sweep.Axis, text string) error {
	names := a.Names()
	flags := make([]*pflag.Flag, len(names))
	for i, name := range names {
		flag := f.flags.Lookup(name)
		if flag == nil || !f.canVary(flag) {
			var valid []string
			f.flags.VisitAll(func(flag *pflag.Flag) {
				if f.canVary(flag) {
					valid = append(valid, flag.Name)
				}
			})
			return usage("%q is no setting of a sweep that can vary; the nearest are %s", name, strings.Join(protocol.Nearest(name, valid), ", ")).about("axis", text)
		}
		if f.noCheck && f.checkOnly[name] {
			instead := "leave one of them out"
			if f.flags.Lookup("sim-"+name) != nil {
				instead = fmt.Sprintf("take sim-%s, or leave --no-check out", name)
			}
			return usage("the axis %s is about the check, and --no-check leaves that out; %s", name, instead).about("axis", text)
		}
		if f.noSimulate && f.simulateOnly[name] {
			return usage("the axis %s is about the simulation, and --no-simulate leaves that out; leave one of them out", name).about("axis", text)
		}
		flags[i] = flag
	}
	for k, value := range a.Values {
		var written []string
		for i, part := range strings.SplitN(value, "+", len(names)) {
			if err := setFlag(names[i], flags[i].Value, part); err != nil {
				if strings.Contains(value, "..") {
					return usage("axis %s: %w; values at equal distances are written %s/8, for 8 of them", a.Name, err, value).about("axis", text)
				}
				return usage("axis %s: %w", a.Name, err).about("axis", text)
			}
			flags[i].Changed = true
			written = append(written, flags[i].Value.String())
		}
		a.Values[k] = strings.Join(written, "+")
	}
	return nil
}

func (f *sweepFlags) canVary(flag *pflag.Flag) bool {
	return !noSetting[flag.Name] && !isRepeatable(flag) && flag.Name != "max-states"
}

// digest notes the files on which the plan depends.
func (f *sweepFlags) digest(p *sweep.Plan) error {
	var texts []string
	for _, s := range p.Settings {
		texts = append(texts, s.Value)
		if s.Name == "fault" {
			texts = append(texts, strings.Fields(strings.ReplaceAll(s.Value, ",", " "))...)
		}
	}
	for _, a := range p.Axes {
		for _, v := range a.Values {
			texts = append(texts, strings.Split(v, "+")...)
		}
	}
	for _, text := range texts {
		path, ok := strings.CutPrefix(text, "file:")
		if !ok || slices.ContainsFunc(p.Files, func(f sweep.File) bool { return f.Path == path }) {
			continue
		}
		contents, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a value that only looks like a file; the flag has read the others
		}
		if err != nil {
			return err
		}
		sum := sha256.Sum256(contents)
		p.Files = append(p.Files, sweep.File{Path: path, SHA256: hex.EncodeToString(sum[:])})
	}
	return nil
}

// tasks are what is done at the points of a plan. All are checked, so that a mistake shows
// itself before anything is done.
func (f *sweepFlags) tasks(p *sweep.Plan) ([]sweep.Task, error) {
	points, err := p.Points()
	if err != nil {
		return nil, usage("%w", err)
	}
	tasks := make([]sweep.Task, len(points))
	for number, values := range points {
		if tasks[number], err = f.task(p, values); err != nil {
			return nil, &sweep.PointError{Number: number, Axes: p.Axes, Values: values, Err: err}
		}
	}
	return tasks, nil
}

// task is what is done at a point.
func (f *sweepFlags) task(p *sweep.Plan, values []string) (sweep.Task, error) {
	t := sweep.Task{MaxStates: f.options.MaxStates}
	for i, a := range p.Axes {
		names := a.Names()
		for k, value := range strings.SplitN(values[i], "+", len(names)) {
			if err := f.flags.Lookup(names[k]).Value.Set(value); err != nil {
				return t, err
			}
		}
	}
	if p.Check {
		s, err := f.world()
		if err != nil {
			return t, err
		}
		if t.Properties, err = selectProperties(f.properties, s); err != nil {
			return t, err
		}
		t.Scenario = &s
	}
	if !p.Simulate {
		return t, nil
	}
	for _, shared := range f.both {
		if f.follows(shared.to) {
			if err := shared.to.Value.Set(shared.from.Value.String()); err != nil {
				return t, usage("sim-%s: %w", shared.from.Name, err)
			}
		}
	}
	simulation := f.simulate.simulation
	simulation.Protocol = f.scenario.Protocol
	s, err := f.simulate.prepare(simulation)
	t.Simulation = &s
	return t, err
}

// sweepError makes an error about where a sweep is to be written one of usage.
func sweepError(err error) error {
	var other *sweep.PlanError
	var place *sweep.PlaceError
	if errors.As(err, &other) || errors.As(err, &place) {
		return usage("%w", err)
	}
	var protocol *scheduler.ProtocolError
	var scenario *scheduler.ScenarioError
	if errors.As(err, &protocol) || errors.As(err, &scenario) {
		return err
	}
	return &outputError{err}
}
