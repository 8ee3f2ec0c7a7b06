// Package timeline draws a trace for a terminal: a row a step, with the time, a
// lane for each node, what happens, what each key of a store holds and for how
// long, and the line of protocol code that did it.
//
//	timeline.Write(os.Stdout, trace, timeline.Options{Width: 100})
//
// The package imports model, its own internal packages and libraries for text. It must never import
// scheduler, protocol or checks: whatever can be told of a run is in its trace.
package timeline
