package distribution

import (
	"math"
	"math/rand/v2"
)

// The functions of package math differ in the last bit between machines, since some have
// them in assembly, and the compiler fuses a product with a sum where the machine can. Here
// every product is converted explicitly, which forbids that; see "Floating-point operators"
// in the specification of Go. Square roots and divisions are exact everywhere.

const (
	ln2High = 6.93147180369123816490e-01
	ln2Low  = 1.90821492927058770002e-10
)

// logarithm returns the natural logarithm of a positive number that is not subnormal, with
// an error of some units in the last place.
func logarithm(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	if fraction < math.Sqrt2/2 {
		fraction, exponent = fraction*2, exponent-1
	}
	// log(f) = 2 atanh(s), with s = (f-1)/(f+1), |s| < 0.172.
	s := (fraction - 1) / (fraction + 1)
	square := float64(s * s)
	sum := 0.0
	for k := 23; k >= 1; k -= 2 {
		sum = float64(sum*square) + 1/float64(k)
	}
	e := float64(exponent)
	return float64(e*ln2High) + (float64(2*float64(s*sum)) + float64(e*ln2Low))
}

// exponential returns e to the power of x, for x of -700 to 700.
func exponential(x float64) float64 {
	x = max(-700, min(x, 700))
	n := math.Floor(float64(x*(1/math.Ln2)) + 0.5)
	rest := (x - float64(n*ln2High)) - float64(n*ln2Low)
	sum := 1.0
	for k := 18; k >= 1; k-- {
		sum = 1 + float64(rest*sum)/float64(k)
	}
	return math.Ldexp(sum, int(n))
}

// unit draws a number above 0 and below 1, or equal to that.
func unit(r rand.Source) float64 { return float64(float64(r.Uint64()>>11+1) / (1 << 53)) }

// normal draws from the standard normal distribution, by the polar method (Marsaglia and
// Bray, "A convenient method for generating normal variables", 1964).
func normal(r rand.Source) float64 {
	for {
		u, v := float64(2*unit(r))-1, float64(2*unit(r))-1
		s := float64(u*u) + float64(v*v)
		if s > 0 && s < 1 {
			return float64(u * math.Sqrt(float64(-2*logarithm(s))/s))
		}
	}
}
