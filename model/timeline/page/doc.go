// Package page writes traces as one self-contained HTML page: lanes on an axis of real time, who
// holds a lock and who believes to, what is left of TTLs, the source of the protocol, and the
// state after each step.
//
//	page.Write(file, page.Document{
//		Title:   "lease breaks under a pause",
//		Traces:  []*model.Trace{trace},
//		Sources: map[string]string{"lockstep/protocol/catalogue/lease.go": text},
//	})
//
// The page asks for nothing from anywhere and works from a file, under a content security policy
// that it carries and that allows no script and no style but its own. Without scripts it is
// still a report: the charts, the verdicts, all steps and the sources. The same document gives
// the same bytes. A trace may have been edited by hand; whatever stands in it is shown as text.
//
// The package may import model, model/timeline and its internal packages, and the standard
// library. It must never import scheduler, protocol or checks: whatever can be told of a run is
// in its trace.
package page
