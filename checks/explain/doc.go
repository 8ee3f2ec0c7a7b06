// Package explain says how the log of an incident can have come about: it searches for a run of a
// protocol that agrees with what the log has of the store, and infers what the log does not
// show, such as that a node stood still.
//
// [Read] takes the commands of a log and finds out what they are about: which key is the lock
// and which the value, which client is which node, and what the parameters of the protocol
// were. [Reading.Explain] searches, by [lockstep/scheduler.Explain], and tells which properties
// the run violates. [Minimise] finds the smallest scenario in which one of them is violated, and
// [WriteTest] writes a Go test that fails as long as that is so.
//
// That a trace of a system agrees with a model is called trace validation (H. Cirstea,
// M. Kuppe, B. Loillier, S. Merz, "Validating Traces of Distributed Programs Against TLA+
// Specifications", 2024). Here the model has clocks and faults.
//
// What is assumed: the log begins before the locks and the values that it is about, so the store
// is empty at its beginning; clocks of nodes and of the store run at the same rate; what a
// request does between its commands is as in the protocol. Waits of the protocol are as long as
// its parameters say, to within the tolerance.
//
// The package imports checks, incident, model, protocol, faults and scheduler. It must never
// import cmd.
package explain
