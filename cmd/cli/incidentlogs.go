package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks/incident"
	"lockstep/model"
)

// logFlags say how logs are read.
type logFlags struct{ format, mapping string }

func (f *logFlags) add(c *cobra.Command) {
	var names []string
	for _, name := range incident.Formats() {
		names = append(names, string(name))
	}
	c.Flags().StringVar(&f.format, "format", "", "read all logs as "+strings.Join(names, ", ")+"; else told by how each begins")
	c.Flags().StringVar(&f.mapping, "mapping", "", "YAML that says what the fields of an application's log mean; see docs/incident.md")
}

// openLogs are logs that are being read, and their files.
type openLogs struct {
	logs  []*incident.Log
	files []io.Closer
}

func (o *openLogs) close() {
	for _, f := range o.files {
		f.Close()
	}
}

// open begins to read logs, of which one can be standard input.
func (f *logFlags) open(c *cobra.Command, names []string) (_ *openLogs, err error) {
	options := incident.Options{Format: incident.Format(f.format)}
	if f.format != "" && !slices.Contains(incident.Formats(), options.Format) {
		var valid []string
		for _, name := range incident.Formats() {
			valid = append(valid, string(name))
		}
		return nil, unknown("format", f.format, valid)
	}
	if options.Mapping, err = f.readMapping(c, names); err != nil {
		return nil, err
	}
	o := &openLogs{}
	defer func() {
		if err != nil {
			o.close()
		}
	}()
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			return nil, usage("%s is given twice; its lines would count twice", name)
		}
		from, called := c.InOrStdin(), "standard input"
		if name != "-" {
			file, err := os.Open(name)
			if err != nil {
				return nil, usage("%w", err)
			}
			o.files = append(o.files, file)
			from, called = file, name
		}
		l, err := incident.OpenLog(called, &interruptible{ctx: c.Context(), from: from}, options)
		if err != nil {
			return nil, wrongLog(called, err)
		}
		o.logs = append(o.logs, l)
	}
	return o, nil
}

// wrongLog is the error of a log that cannot be read.
func wrongLog(name string, err error) error {
	var trace *model.TraceError
	if errors.As(err, &trace) {
		what := trace.Err
		if trace.Path != "" {
			what = fmt.Errorf("%s: %w", trace.Path, trace.Err)
		}
		return &placedError{fmt.Sprintf("%s:%d:%d", name, trace.Line, trace.Column), usage("%w", what)}
	}
	return usage("%s: %w", name, err)
}

// readMapping reads the file of --mapping, nil for none.
func (f *logFlags) readMapping(c *cobra.Command, logs []string) (*incident.Mapping, error) {
	if f.mapping == "" {
		return nil, nil
	}
	from, name := c.InOrStdin(), "standard input"
	if f.mapping == "-" && slices.Contains(logs, "-") {
		return nil, usage("standard input can be the log or the mapping, not both")
	}
	if f.mapping != "-" {
		file, err := os.Open(f.mapping)
		if err != nil {
			return nil, usage("--mapping: %w", err)
		}
		defer file.Close()
		from, name = file, f.mapping
	}
	m, err := incident.ReadMapping(from)
	var wrong *incident.MappingError
	if errors.As(err, &wrong) {
		return nil, &placedError{fmt.Sprintf("%s:%d:%d", name, wrong.Line, wrong.Column), usage("%w", wrong.Err)}
	}
	if err != nil {
		return nil, usage("--mapping %s: %w", name, err)
	}
	return m, nil
}

// nothing is the error for a log that has no event, nil for one that has.
func (o *openLogs) nothing() error {
	for _, l := range o.logs {
		if l.Events > 0 {
			continue
		}
		why := "it is empty"
		if bad := l.Bad(); len(bad.First) > 0 {
			why = fmt.Sprintf("line %d: %s", bad.First[0].Line, bad.First[0].Why)
		}
		return usage("%s has nothing that can be read as %s: %s", l.Name, formatWords[l.Format], why)
	}
	return nil
}

// formatWords are the formats in words.
var formatWords = map[incident.Format]string{
	incident.MonitorFormat:     "the output of MONITOR",
	incident.ApplicationFormat: "the log of an application",
	incident.HistoryFormat:     "a history in EDN",
	incident.TraceFormat:       "a trace",
	incident.Normalized:        "a normalized stream",
}
