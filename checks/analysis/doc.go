// Package analysis asks more of a scenario than whether its properties hold: how
// bad it can get ([WorstCase]), at which value of a parameter a property breaks
// ([FindThreshold]), and which protocol withstands which faults ([CheckCell]).
//
// Each answer is put together from exhaustive searches of package scheduler, and is
// as exact as these: a maximum comes with the proof that nothing exceeds it and a
// trace that attains it, a border with the proof on one side and a counterexample
// on the other.
//
// The package imports checks, faults, model, protocol and scheduler. It must never
// import the catalogue or the command line.
package analysis
