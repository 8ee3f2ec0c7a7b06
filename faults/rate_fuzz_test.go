package faults_test

import (
	"strings"
	"testing"

	"lockstep/faults"
)

// FuzzParseRate: a rate that is accepted is not negative and is read back from what it is
// written as; the error for any other says what to write.
func FuzzParseRate(f *testing.F) {
	for _, s := range []string{"1%", "200ppm", "0.5%", ".5%", "0%", "1", "%", "ppm", "-1%", "1h%", "999999999999%", "9e9%", "1 %"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		rate, err := faults.ParseRate(s)
		if err != nil {
			if message := err.Error(); !strings.Contains(message, "; write ") || strings.ContainsAny(message, "\r\n") {
				t.Errorf("ParseRate(%q): the error does not say what to write: %s", s, message)
			}
			return
		}
		if again, err := faults.ParseRate(faults.FormatRate(rate)); rate < 0 || err != nil || again != rate {
			t.Errorf("ParseRate(%q) = %d, written %s, read %d, %v", s, rate, faults.FormatRate(rate), again, err)
		}
	})
}
