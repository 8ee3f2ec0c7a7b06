package cli

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/model/timeline"
)

func newImport() *cobra.Command {
	f := &importFlags{}
	c := &cobra.Command{
		Use:   "import LOG...",
		Short: "bring logs of an incident into one stream, in the order of their times",
		Long: `Import reads logs of any of these formats, compressed by gzip or not, or from
standard input as -, and writes one stream of JSON, an event a line, in the
order of the times:

  monitor     what MONITOR of a Redis server prints
  app         what an application logs, an object of JSON a line; --mapping
              says what its fields mean (see docs/incident.md)
  edn         a history of Jepsen or Knossos
  trace       a trace of Lockstep
  normalized  what import writes

The format of each is told by how it begins, unless --format says it. Each event
has the file and the line that it came from. The stream is described in
docs/incident.md and, as a JSON Schema, in docs/incident.schema.json;
lockstep incident audit reads it.

Logs of any length are read in constant memory. Lines that cannot be read are
counted and passed over; the first few are shown on standard error, and kept in
the last line of the stream.

Exit codes: 0 the stream is written; 2 a log or the mapping cannot be read;
3 interrupted by ^C, nothing is written; 4 the stream cannot be written.`,
		Example: `  lockstep incident import monitor.log app.ndjson --out incident.ndjson.gz
  zcat app.log.gz | lockstep incident import - --mapping fields.yaml
  lockstep incident import old.log --format monitor > incident.ndjson`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("import wants one log or several, for example lockstep incident import monitor.log app.ndjson; - is standard input")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	c.Flags().SortFlags = false
	registerOut(c.Flags(), &f.out, "out", "o", "-", "write the stream to this file, compressed if its name ends in .gz")
	f.logs.add(c)
	return c
}

type importFlags struct {
	out  string
	logs logFlags
}

func (f *importFlags) run(c *cobra.Command, names []string) error {
	o, err := f.logs.open(c, names)
	if err != nil {
		return err
	}
	defer o.close()
	// A log in which nothing can be read is told before anything is written.
	events := incident.Merge(o.logs...)
	first, err := events.Next()
	if err != nil && !errors.Is(err, io.EOF) {
		return usage("%w", err)
	}
	if err := o.nothing(); err != nil {
		return err
	}
	var wrong error
	err = writeTo(c, f.out, func(w io.Writer) error {
		// Small writes are many.
		buffered := bufio.NewWriterSize(w, 1<<16)
		var to io.Writer = buffered
		var packed *gzip.Writer
		if strings.HasSuffix(f.out, ".gz") {
			packed = gzip.NewWriter(buffered)
			to = packed
		}
		stream, err := incident.NewWriter(to, o.logs...)
		for e := first; err == nil && e != nil; {
			if err = stream.Write(e); err == nil {
				if e, wrong = events.Next(); wrong != nil {
					break
				}
			}
		}
		if err == nil && !errors.Is(wrong, io.EOF) {
			err = wrong // what is read of the log is not kept as if it were all
		}
		if err == nil {
			err = stream.Close(incident.BadOf(o.logs), incident.BackOf(o.logs))
		}
		if err == nil && packed != nil {
			err = packed.Close()
		}
		return errors.Join(err, buffered.Flush())
	})
	if wrong != nil && !errors.Is(wrong, io.EOF) {
		return usage("%w", wrong)
	}
	if err != nil {
		return err
	}
	return asOutput(printImport(c.ErrOrStderr(), o.logs))
}

// printImport says what was read.
func printImport(w io.Writer, logs []*incident.Log) error {
	var b strings.Builder
	for _, l := range logs {
		fmt.Fprintf(&b, "%s: %s, %s\n", l.Name, formatWords[l.Format], model.Count(l.Events, "event", "events"))
		if back := l.Back(); back > 0 {
			fmt.Fprintf(&b, "  a clock stepped back %s\n", model.Count(back, "time", "times"))
		}
	}
	printBad(&b, incident.BadOf(logs), w)
	_, err := io.WriteString(w, timeline.Printable(b.String()))
	return err
}
