// Package casebook holds ways in which locks and caches break that people have met and
// reported in public: each as protocol code before and after the repair, with what it
// teaches, the smallest scenario that shows it, and the verdicts.
//
//	for _, c := range casebook.All() {
//		fmt.Println(c.ID, c.Title)
//	}
//
// # Adding a case
//
// A case is one file, named after its id: l03.go for L-03. It has the variants, which are
// protocols of ten to thirty lines, and one call of add in its init function. A test runs
// every check of every case and refuses one without both verdicts, a lesson and a source;
// docs/casebook.md is written anew by go test ./protocol/casebook -update.
//
// The package stands above the checker: it imports model, protocol, faults, checks and
// scheduler, and none of these must ever import it.
package casebook
