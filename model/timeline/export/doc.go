// Package export writes traces in the formats of others: Markdown and Mermaid for people,
// ITF for tools of TLA+, JUnit and workflow annotations for continuous integration.
//
//	export.Markdown(os.Stdout, trace, export.Options{})
//
// The same trace gives the same bytes every time. All text of a trace, which may come from
// anywhere, is escaped as the format demands.
//
// The package imports model, model/timeline and libraries for text. It must never import
// scheduler, protocol or checks: whatever can be told of a run is in its trace.
package export
