// Package confirm executes the store commands of a trace on a server that speaks the protocol
// of Redis, observation by observation: what the model says a store does is held against what
// one does.
//
// [Run] goes through the steps of a trace. Operations that are commands of the server are
// sent to it, at instants in the order of the trace and with the TTLs of the trace, and the
// replies are compared with what the trace has the process observe. What no command does, a
// script written in Go or a fault of the store, is carried over: the keys are set to what the
// trace says. After each step the keys that it has changed are compared.
//
// The package imports model and a client. It must never import scheduler or protocol: a trace
// says all that it needs.
package confirm
