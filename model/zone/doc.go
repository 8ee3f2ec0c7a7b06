// Package zone holds sets of clock valuations as difference-bound matrices:
// dense time, and nothing else.
//
// A [Matrix] of dimension n talks about n-1 clocks, numbered 1 to n-1, and
// about clock 0, which is always zero. Its entry (i, j) bounds the difference
// of two clocks: x_i - x_j <= entry. All bounds are closed (<=), so a bound is
// a plain integer and a zone with integer bounds contains an integer point
// whenever it contains any point. Every method keeps the matrix canonical
// (closed under shortest paths) or reports that the zone became empty.
//
//	z := zone.New(2)             // clocks 1 and 2, both zero
//	z.Elapse()                   // let any time pass
//	z.Constrain(1, 0, 5)         // x1 <= 5
//	ok := z.Constrain(0, 2, -3)  // x2 >= 3
//
// Sources: D. Dill, "Timing assumptions and verification of finite-state
// concurrent systems", 1989 (the matrices); F. Herbreteau, B. Srivathsan,
// I. Walukiewicz, "Better abstractions for timed automata", LICS 2012 (the
// subsumption test).
//
// The package imports nothing and must stay so.
package zone
