// Package linearize decides, call by call and return by return, whether a history is
// linearizable, in a form that can be a part of the state of a search: what matters of a
// history so far is one number.
//
// # Just in time
//
// An [Automaton] holds for a history all ways in which it can have been linearized so far:
// configurations, each a state of the sequential specification and which of the
// operations that have not returned have taken effect already, with the output that they
// will then have to return. Only a return asks for work: each configuration in which the
// operation has not taken effect yet lets it do so now, after any of the others that are
// pending; whatever has another output is dropped. The history is linearizable as long as
// a configuration is left. This is the just-in-time linearization of G. Lowe, "Testing
// for linearizability", Concurrency and Computation 29(4), 2017, with the difference that
// an operation that takes effect before it returns has its output foretold: that needs
// to know which outputs there are, [Object.Outputs].
//
// Two histories with the same configurations have the same future; so a set of
// configurations is a state of a deterministic automaton, of which the states and steps
// that occur are found on demand. A state is named by the hash of its description: it has
// the same name in every search, whichever worker comes to it first.
//
// # Operations that never return
//
// One that is pending may take effect at any time after its call, or never. One whose
// client is gone is abandoned: it stays pending without a number.
//
// # Contract
//
// The package knows histories only. It must never import another package of the module.
package linearize
