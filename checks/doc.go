// Package checks holds the properties, one file each, and the entry point for go
// test.
//
// The package imports model and scheduler. It must never import the catalogue or
// the command line.
package checks
