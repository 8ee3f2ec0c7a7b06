package model

import (
	"strings"
	"testing"
)

// FuzzParseDuration: a duration that is accepted is not negative and is read back from what
// it is written as; the error for any other says what to write.
func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"", "0", "10s", "1m30s", "-1s", "+2h", ".5s", "1.s", "2562047h", "9999999h", "1µs", "1μs", "s", "1e3s", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d, err := ParseDuration(s)
		if err != nil {
			if message := err.Error(); !strings.Contains(message, "; write ") || strings.ContainsAny(message, "\r\n") {
				t.Errorf("ParseDuration(%q): the error does not say what to write: %s", s, message)
			}
			return
		}
		if again, err := ParseDuration(FormatDuration(d)); d < 0 || err != nil || again != d {
			t.Errorf("ParseDuration(%q) = %d, which reads back as %d, %v", s, d, again, err)
		}
	})
}
