// Package plot draws sweeps as SVG: a map of where a protocol is safe over two axes, and
// curves of rebuilds and of waits over one.
//
//	s, err := sweep.Read("sweep.ndjson")
//	err = plot.Map(w, s, plot.View{X: "ttl", Y: "pause"}, plot.Size{Width: 16, Height: 11})
//
// Nothing is told by colour alone: verdicts differ in shape and in being filled, lines in
// dashes and in markers. The same sweep gives the same bytes: there is no date in a picture,
// and text is measured with fonts that are part of the program. A viewer without them takes
// fonts of the same widths where it has some.
//
// The package imports sweep, scheduler and gonum/plot. It must never be imported by sweep or by
// the engine, which do without what draws.
package plot
