package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"lockstep/checks/sweep"
	"lockstep/checks/sweep/plot"
)

// sweepPlotFlags say what is drawn, and where it goes.
type sweepPlotFlags struct {
	view                   plot.View
	at                     []string
	size                   sizeInCentimetres
	verdicts, count, waits string
}

func newSweepPlot() *cobra.Command {
	f := &sweepPlotFlags{size: sizeInCentimetres{Width: 16, Height: 10}}
	c := &cobra.Command{
		Use:   "plot FILE --x AXIS [flags]",
		Short: "draw a sweep as SVG: where it is safe, curves of rebuilds and waits",
		Long: `Plot draws what the file of a sweep has, which need not be complete. A map shows the verdicts
over two axes; without --y it has a row for each property. Curves show rebuilds, and waits,
over one axis; with --y there is a line for each of its values. Every other axis needs a
value: --at release=plain. Nothing is told by colour alone.`,
		Example: `  lockstep sweep plot sweep.ndjson --x ttl --y pause --map map.svg
  lockstep sweep plot sweep.ndjson --x ttl --at pause=1x5s --rebuilds rebuilds.svg --waits waits.svg
  lockstep sweep plot sweep.ndjson --x ttl --map map.svg --size 24x14`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.view.X, "x", "", "the axis from left to right")
	flags.StringVar(&f.view.Y, "y", "", "the axis from below to above, of curves that of the lines; of a map the properties without it")
	flags.StringArrayVar(&f.at, "at", nil, "the value of another axis, as pause=1x5s; may be repeated")
	flags.StringVar(&f.view.Property, "property", "", "the property whose verdicts a map shows (default all)")
	registerOut(flags, &f.verdicts, "map", "", "", "write a map of verdicts to this file; - for standard output")
	registerOut(flags, &f.count, "rebuilds", "", "", "write curves of rebuilds to this file; - for standard output")
	registerOut(flags, &f.waits, "waits", "", "", "write curves of waits to this file; - for standard output")
	flags.Var(&f.size, "size", "width and height in centimetres")
	return c
}

// picture is what is drawn, and the file that it goes to.
type picture struct {
	file string
	draw func(io.Writer, *sweep.Sweep, plot.View, plot.Size) error
	svg  bytes.Buffer
}

func (f *sweepPlotFlags) run(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage("sweep plot wants one file of a sweep, as in: lockstep sweep plot sweep.ndjson --x ttl --map map.svg")
	}
	if f.verdicts == "" && f.count == "" && f.waits == "" {
		return usage("there is nothing to draw; add --map map.svg, --rebuilds rebuilds.svg or --waits waits.svg")
	}
	if err := f.overwrites(args[0]); err != nil {
		return err
	}
	f.view.At = map[string]string{}
	for _, setting := range f.at {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return usage("--at %s is no axis with its value; write it as pause=1x5s", setting).about("at", setting)
		}
		f.view.At[name] = value
	}
	s, err := readSweep(args[0])
	if err != nil {
		return err
	}
	pictures := []picture{{file: f.verdicts, draw: plot.Map}, {file: f.count, draw: plot.Rebuilds}, {file: f.waits, draw: plot.Waits}}
	pictures = slices.DeleteFunc(pictures, func(p picture) bool { return p.file == "" })
	// None is written if one of them cannot be drawn.
	for i := range pictures {
		if err := pictures[i].draw(&pictures[i].svg, s, f.view, plot.Size(f.size)); err != nil {
			return usage("%w", err)
		}
	}
	for i := range pictures {
		p := &pictures[i]
		if err := writeTo(c, p.file, func(w io.Writer) error { _, err := p.svg.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	return nil
}

// overwrites refuses to draw over the file of the sweep.
func (f *sweepPlotFlags) overwrites(file string) error {
	places := []struct{ flag, place string }{{"map", f.verdicts}, {"rebuilds", f.count}, {"waits", f.waits}}
	for _, p := range places {
		if sameFile(p.place, file) {
			return usage("--%s %s would overwrite the file of the sweep; write to another", p.flag, p.place).about(p.flag, p.place)
		}
	}
	return nil
}

// sizeInCentimetres is the size of a picture, as 16x10.
type sizeInCentimetres plot.Size

func (f *sizeInCentimetres) String() string { return fmt.Sprintf("%gx%g", f.Width, f.Height) }
func (f *sizeInCentimetres) Type() string   { return "WxH" }
func (f *sizeInCentimetres) Set(text string) error {
	width, height, _ := strings.Cut(text, "x")
	w, wrongWidth := strconv.ParseFloat(width, 64)
	h, wrongHeight := strconv.ParseFloat(height, 64)
	if wrongWidth != nil || wrongHeight != nil {
		return fmt.Errorf("%q is no size; write width and height in centimetres, as 16x10", text)
	}
	size := plot.Size{Width: w, Height: h}
	if err := size.Validate(); err != nil {
		return err
	}
	*f = sizeInCentimetres(size)
	return nil
}
