package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline"
)

// Suite is a check of a protocol: a verdict for each property.
type Suite struct {
	// Name is the name of the protocol, or of the scenario.
	Name  string
	Cases []Case
}

// Case is a verdict about a property.
type Case struct {
	Property, Rule string
	// Verdict is holds, violated or inconclusive.
	Verdict string
	// Message says more in a line: the explanation of a violation, why a verdict is
	// inconclusive, that a property holds vacuously. It may be empty.
	Message string
	// Trace is the counterexample, nil if there is none.
	Trace *model.Trace
}

// JUnit writes verdicts as the XML of JUnit that continuous integration reads: a property
// that is violated is a failure with the timeline, one of which nothing is known an error.
// Of a property that holds the message becomes its output. path returns where a file of
// protocol code is in the repository, as in [Annotation]; nil leaves files as they are. A
// verdict of another name is an error of JUnit, and nothing is written.
func JUnit(w io.Writer, suites []Suite, path func(file string) string) error {
	var root junitSuites
	for _, s := range suites {
		suite := junitSuite{Name: timeline.OneLine(s.Name)}
		for i := range s.Cases {
			c, err := junitCaseOf(s.Name, &s.Cases[i], path)
			if err != nil {
				return err
			}
			suite.Tests++
			if c.Failure != nil {
				suite.Failures++
			}
			if c.Error != nil {
				suite.Errors++
			}
			suite.Cases = append(suite.Cases, c)
		}
		root.Tests += suite.Tests
		root.Failures += suite.Failures
		root.Errors += suite.Errors
		root.Suites = append(root.Suites, suite)
	}
	text, err := xml.MarshalIndent(&root, "", "  ")
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	return err
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name       string          `xml:"name,attr"`
	Class      string          `xml:"classname,attr"`
	File       string          `xml:"file,attr,omitempty"`
	Line       int             `xml:"line,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Failure    *junitProblem   `xml:"failure"`
	Error      *junitProblem   `xml:"error"`
	Output     string          `xml:"system-out,omitempty"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitProblem struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",cdata"`
}

func junitCaseOf(suite string, c *Case, path func(string) string) (junitCase, error) {
	j := junitCase{
		Name: timeline.OneLine(c.Property), Class: "lockstep." + timeline.OneLine(suite),
		Properties: []junitProperty{{"rule", timeline.OneLine(c.Rule)}, {"verdict", c.Verdict}},
	}
	if t := c.Trace; t != nil {
		j.Properties = append(j.Properties, junitProperty{"faults", fmt.Sprint(t.Faults)}, junitProperty{"steps", fmt.Sprint(t.Weight)})
		if s := culprit(t); s != nil {
			j.File, j.Line = timeline.OneLine(located(s.Source.File, path)), s.Source.Line
		}
	}
	switch c.Verdict {
	case "holds":
		j.Output = timeline.Printable(c.Message)
	case "violated":
		// The drawing begins on a line of its own.
		drawing := &strings.Builder{}
		drawing.WriteString("\n")
		if c.Trace != nil {
			if err := timeline.Write(drawing, c.Trace, timeline.Options{}); err != nil {
				return j, err
			}
		}
		j.Failure = &junitProblem{timeline.OneLine(c.Message), "violated", timeline.Printable(drawing.String())}
	case "inconclusive":
		j.Error = &junitProblem{timeline.OneLine(c.Message), "inconclusive", ""}
	default:
		return j, fmt.Errorf("the verdict on %s is %q; it must be holds, violated or inconclusive", c.Property, c.Verdict)
	}
	return j, nil
}
