package checks

import (
	"fmt"

	"lockstep/model"
)

// Definition is a property of one's own: a Go function that looks at each step.
//
//	never := checks.Define(checks.Definition{
//		Name: "never-empty", Rule: "once a value is cached there is always one",
//		Vacuous: "no value was ever cached", Memory: 1,
//		Check: func(v *checks.View) {
//			_, cached := v.Version("cache", "feed")
//			switch {
//			case cached:
//				v.Memory[0] = 1
//				v.Exercise()
//			case v.Memory[0] == 1:
//				v.Violate()
//			}
//		},
//	})
type Definition struct {
	// Name is what it is called in reports, Rule what must hold, in a sentence without a
	// full stop, and Vacuous what never happened if Check never calls [View.Exercise].
	Name, Rule, Vacuous string
	// Memory is how many bytes the function can remember from step to step, 0 to
	// MaxDefinedMemory. They start as zero.
	Memory int
	// Check looks at a step and what it has led to. It is called for every step of every
	// run, by several goroutines at once, so it must not depend on anything but the view,
	// nor keep it.
	Check func(v *View)
	// Explain says in words why the last step of a trace violates the property; nil for the
	// rule and the step.
	Explain func(t *model.Trace) string
}

// MaxDefinedMemory is how many bytes a property of one's own can remember.
const MaxDefinedMemory = 64

// Define returns the property.
func Define(d Definition) model.Property { return &defined{d: d} }

type defined struct {
	d    Definition
	name func(model.KeyID) (store, key string)
}

func (p *defined) Name() string    { return p.d.Name }
func (p *defined) Rule() string    { return p.d.Rule }
func (p *defined) Vacuous() string { return p.d.Vacuous }
func (p *defined) Memory() int     { return p.d.Memory }

// WithNames returns the property for a search in which keys have these names.
func (p *defined) WithNames(name func(model.KeyID) (store, key string)) model.Monitor {
	return &defined{p.d, name}
}

// Valid refuses a definition that lacks something.
func (p *defined) Valid() error {
	switch {
	case p.d.Name == "":
		return fmt.Errorf("a property without a name: a Definition has Name, Rule, Vacuous and Check")
	case p.d.Rule == "" || p.d.Vacuous == "" || p.d.Check == nil:
		return fmt.Errorf("the property %s lacks its Rule, Vacuous or Check", p.d.Name)
	case p.d.Memory < 0 || p.d.Memory > MaxDefinedMemory:
		return fmt.Errorf("the property %s remembers %d bytes: it must be 0 to %d", p.d.Name, p.d.Memory, MaxDefinedMemory)
	}
	return nil
}

func (p *defined) Check(s *model.State, e *model.Event, memory []byte) model.Outcome {
	v := View{Memory: memory, state: s, event: e, name: p.name}
	p.d.Check(&v)
	return v.outcome
}

func (p *defined) Explain(t *model.Trace) string {
	if p.d.Explain != nil {
		return p.d.Explain(t)
	}
	last := &t.Steps[len(t.Steps)-1]
	who := last.Process
	if who == "" {
		who = last.Node
	}
	if who != "" {
		who += ": "
	}
	return fmt.Sprintf("after %q it is not so that %s", who+last.Text, p.d.Rule)
}
