// Package cli is the command line of Lockstep, for protocols of one's own as well as for
// those of the catalogue: a program of three lines has all of it.
//
//	func main() {
//		cli.Main(cli.Protocol{Name: "mine", Summary: "what a request does", New: func() protocol.Protocol { return &Mine{} }})
//	}
//
// Results go to standard output, progress to standard error. The exit code is 0 if
// every property holds and the search was exhausted, 1 if one is violated, 2 for
// wrong usage or a wrong scenario, 3 if the search was cut off without a
// violation, 4 for protocol code that breaks a rule and for errors of Lockstep.
//
// The package may import everything; nothing imports it but a main package.
package cli

import "lockstep/protocol/catalogue"

// Protocol is a protocol that the commands know: its name, what one request does, and a
// function that returns a pointer to a variant whose fields are zero.
type Protocol = catalogue.Entry
