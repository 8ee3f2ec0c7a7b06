// Command lockstep checks protocols for distributed locks and cache rebuilds.
//
//	lockstep check lease --nodes 3 --pause 1x12s
//	lockstep list
//
// It is package cli over the protocols of the catalogue.
package main

import "lockstep/cmd/cli"

func main() { cli.Main() }
