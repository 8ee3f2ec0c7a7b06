package export

import (
	"fmt"
	"io"
	"strings"

	"lockstep/model"
	"lockstep/model/timeline"
)

// Annotation says how to annotate a line of protocol code.
type Annotation struct {
	Options
	// Level is error, warning or notice; error if it is empty.
	Level string
	// Path returns where a file of protocol code is in the repository. What it gets is the
	// import path of the package and the name of the file, lockstep/checks/view.go for
	// example; nil leaves that as it is.
	Path func(file string) string
}

// GitHub writes a workflow command of GitHub Actions, one line, which annotates the line of
// protocol code of the last step that has one. A trace without any annotates no line.
func GitHub(w io.Writer, t *model.Trace, a Annotation) error {
	level := a.Level
	switch level {
	case "":
		level = "error"
	case "error", "warning", "notice":
	default:
		return fmt.Errorf("an annotation has no level %q; it must be error, warning or notice", level)
	}
	var properties []string
	message := t.Explanation
	if s := culprit(t); s != nil {
		file := timeline.Printable(located(s.Source.File, a.Path))
		properties = append(properties, "file="+propertyEscapes.Replace(file), fmt.Sprintf("line=%d", s.Source.Line))
		what, _, _ := strings.Cut(timeline.Describe(s), "\n")
		message += "\n" + model.FormatDuration(s.Time) + " " + what
	}
	properties = append(properties, "title="+propertyEscapes.Replace(timeline.Printable(t.Protocol+": "+verdict(t, a.Options))))
	_, err := fmt.Fprintf(w, "::%s %s::%s\n", level, strings.Join(properties, ","), messageEscapes.Replace(timeline.Printable(message)))
	return err
}

// located returns where a file is, if that is known.
func located(file string, path func(string) string) string {
	if path == nil {
		return file
	}
	return path(file)
}

// culprit returns the last step with a line of protocol code, nil if there is none.
func culprit(t *model.Trace) *model.TraceStep {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if t.Steps[i].Source != nil {
			return &t.Steps[i]
		}
	}
	return nil
}

var (
	messageEscapes  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)
