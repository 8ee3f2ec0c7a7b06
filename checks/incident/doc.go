// Package incident reads what a store and its clients have recorded of an incident, and says
// what the recording proves: no model of the protocol is needed for that.
//
// [Monitor] reads what MONITOR of a Redis server prints, line by line in constant memory.
// [Audit] reconstructs from it what the store did, which MONITOR does not print, and reports
// what violates a rule of locks, with line numbers.
//
// The package imports nothing of Lockstep but model, for its formats. It must never import
// scheduler or protocol: an audit holds whatever the deployed protocol is.
package incident
