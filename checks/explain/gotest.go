package explain

import (
	"bytes"
	"fmt"
	"go/format"
	"reflect"
	"strings"
	"text/template"
	"time"

	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// GoTest is a test of a protocol in Go that fails as long as a property is violated.
type GoTest struct {
	// Package is that of the file, Name that of the function.
	Package, Name string
	// Log is what it is about, in words.
	Log      string
	Scenario scheduler.Scenario
	Property model.Property
	// Text says how the property is violated.
	Text string
}

var testTemplate = template.Must(template.New("test").Parse(`package {{.Package}}

import (
	"testing"
{{- if .Time}}
	"time"
{{- end}}

	"lockstep/checks"
{{- if .Faults}}
	"lockstep/faults"
{{- end}}
	"lockstep/protocol"
{{- if .Import}}
	"{{.Import}}"
{{- end}}
)

// {{.Name}} is the smallest scenario in which what happened in
// {{.Log}} can happen:
{{- range .Text}}
// {{.}}
{{- end}}
// It fails as long as that is so, first by the trace that is kept beside it.
func {{.Name}}(t *testing.T) {
	p := {{.Literal}}
{{- range .Fields}}
	{{.}}
{{- end}}
	s := checks.NewScenario(p)
	s.Name, s.KeepZeros = {{printf "%q" .ProtocolName}}, true
	s.Nodes, s.Requests, s.Jobs, s.Updates, s.Invalidate = {{.Nodes}}, {{.Requests}}, {{.Jobs}}, {{.Updates}}, {{.Invalidate}}
	s.Latency, s.Reply, s.ValueTTL = {{.Latency}}, {{.Reply}}, {{.ValueTTL}}
{{- range .Faults}}
	{
		fault, err := faults.Named({{printf "%q" .Name}}, {{printf "%q" .Value}})
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, fault)
	}
{{- end}}
	property, err := checks.Named({{printf "%q" .Property}}, {{printf "%q" .Argument}})
	if err != nil {
		t.Fatal(err)
	}
	checks.Verify(t, s, property)
}
`))

// Source returns the text of the file.
func (g *GoTest) Source() ([]byte, error) {
	s := g.Scenario
	b := s.Bounds()
	of := reflect.TypeOf(s.Protocol)
	pointer := ""
	if of.Kind() == reflect.Pointer {
		of, pointer = of.Elem(), "&"
	}
	fields, uses, err := assignments(s.Protocol)
	if err != nil {
		return nil, err
	}
	name := of.Name() + "{}"
	imported, at := of.PkgPath(), of.PkgPath()[strings.LastIndexByte(of.PkgPath(), '/')+1:]
	if at == g.Package {
		imported = ""
	} else {
		name = at + "." + name
	}
	argument := ""
	if a, ok := g.Property.(model.Argued); ok {
		argument = a.Argument()
	}
	var text bytes.Buffer
	err = testTemplate.Execute(&text, map[string]any{
		"Package": g.Package, "Name": g.Name, "Log": g.Log, "Text": strings.Split(wrapped(g.Text, 90), "\n"), "Import": imported,
		"Literal": pointer + name, "Fields": fields, "ProtocolName": s.Name, "Nodes": s.Nodes, "Requests": s.Requests, "Jobs": s.Jobs, "Updates": s.Updates,
		"Invalidate": s.Invalidate, "Latency": rangeLiteral(s.Latency), "Reply": rangeLiteral(s.Reply), "ValueTTL": durationLiteral(s.ValueTTL),
		"Faults": b.Faults, "Property": g.Property.Name(), "Argument": argument,
		"Time": uses || s.Latency != (model.Range{}) || s.Reply != (model.Range{}) || s.ValueTTL > 0,
	})
	if err != nil {
		return nil, err
	}
	return format.Source(text.Bytes())
}

// assignments set the parameters of a protocol p, which may be in structs that it embeds. uses
// reports whether there are durations.
func assignments(p protocol.Protocol) (list []string, uses bool, err error) {
	parameters, err := protocol.Parameters(p)
	if err != nil {
		return nil, false, err
	}
	v := reflect.Indirect(reflect.ValueOf(p))
	for _, q := range parameters {
		field := v.FieldByName(q.Field)
		if field.IsZero() {
			continue
		}
		var text string
		switch x := field.Interface().(type) {
		case time.Duration:
			text, uses = durationLiteral(x), true
		case model.Range:
			text, uses = rangeLiteral(x), true
		default:
			text = fmt.Sprint(x)
			if field.Kind() == reflect.String {
				text = fmt.Sprintf("%q", field.String())
			}
		}
		list = append(list, "p."+q.Field+" = "+text)
	}
	return list, uses, nil
}

func rangeLiteral(r model.Range) string {
	switch {
	case r == (model.Range{}):
		return "protocol.Range{}"
	case r.Min == 0:
		return "protocol.Range{Max: " + durationLiteral(r.Max) + "}"
	}
	return "protocol.Range{Min: " + durationLiteral(r.Min) + ", Max: " + durationLiteral(r.Max) + "}"
}

// durationLiteral writes a duration in the largest unit of which it is a whole number.
func durationLiteral(d time.Duration) string {
	if d == 0 {
		return "0"
	}
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.unit == 0 {
			return fmt.Sprintf("%d * time.%s", d/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%d * time.Nanosecond", d)
}

// wrapped breaks a text into lines of so many characters.
func wrapped(text string, width int) string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len(line)+1+len(word) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return strings.Join(append(lines, line), "\n")
}
