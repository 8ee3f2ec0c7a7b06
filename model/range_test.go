package model

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestDurationsPrintWithoutZeroParts(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"0s":                        0,
		"1ns":                       1,
		"1.5µs":                     1500,
		"50ms":                      50 * time.Millisecond,
		"1.5s":                      1500 * time.Millisecond,
		"6.9s":                      6900 * time.Millisecond,
		"10s":                       10 * time.Second,
		"1m30s":                     90 * time.Second,
		"5m":                        5 * time.Minute,
		"10m":                       10 * time.Minute,
		"10m0.5s":                   10*time.Minute + 500*time.Millisecond,
		"1h":                        time.Hour,
		"1h10m":                     70 * time.Minute,
		"1h5s":                      time.Hour + 5*time.Second,
		"20h0.5s":                   20*time.Hour + 500*time.Millisecond,
		"-5m":                       -5 * time.Minute,
		"2562047h47m16.854775807s":  math.MaxInt64,
		"-2562047h47m16.854775808s": math.MinInt64,
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("FormatDuration(%d) = %q, want %q", d, got, want)
		}
	}
}

func TestEveryDurationThatIsNotNegativeIsReadBackAsPrinted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]time.Duration{1, time.Millisecond, time.Second, time.Minute, time.Hour}).Draw(t, "unit")
		d := unit * time.Duration(rapid.Int64Range(0, math.MaxInt64/int64(unit)).Draw(t, "count"))
		got, err := ParseDuration(FormatDuration(d))
		if err != nil || got != d {
			t.Fatalf("ParseDuration(%q) = %v, %v", FormatDuration(d), got, err)
		}
	})
}

func TestDurationsAreReadInEveryUnit(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0":      0,
		"0s":     0,
		"-0s":    0,
		"1ns":    1,
		"1us":    1000,
		"1µs":    1000,
		"1.5ms":  1500 * time.Microsecond,
		".5s":    500 * time.Millisecond,
		"1m30s":  90 * time.Second,
		"+2h":    2 * time.Hour,
		"300m0s": 5 * time.Hour,
	} {
		if got, err := ParseDuration(s); err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestARefusedDurationSaysWhatIsWrongAndWhatToWrite(t *testing.T) {
	const unreadable = ` cannot be read; write numbers with the units ns, us, ms, s, m or h, such as "10s" or "1m30s"`
	for s, want := range map[string]string{
		"":                      `duration "" is empty; write a number with a unit, such as "10s"`,
		"10":                    `duration "10" has no unit; write "10s" or "10ms"`,
		"-1.5":                  `duration "-1.5" has no unit; write "1.5s" or "1.5ms"`,
		"-5s":                   `duration "-5s" is negative; write "0s" or longer`,
		"-9999999h":             `duration "-9999999h" is negative; write "0s" or longer`,
		"9999999h":              `duration "9999999h" is too long to be counted; write at most "2562047h"`,
		"9223372036854775808ns": `duration "9223372036854775808ns" is too long to be counted; write at most "2562047h"`,
		"abc":                   `duration "abc"` + unreadable,
		"10 s":                  `duration "10 s"` + unreadable,
		"2d":                    `duration "2d"` + unreadable,
		"1s\n":                  `duration "1s\n"` + unreadable,
		"s":                     `duration "s"` + unreadable,
		".s":                    `duration ".s"` + unreadable,
		"1m30":                  `duration "1m30"` + unreadable,
		"\xff1s":                `duration "\xff1s"` + unreadable,
	} {
		d, err := ParseDuration(s)
		if err == nil || err.Error() != want || d != 0 {
			t.Errorf("ParseDuration(%q) = %v, %v\nwant the error %s", s, d, err, want)
		}
	}
	if _, err := ParseDuration("2562047h"); err != nil {
		t.Errorf("the longest duration that the error recommends is refused: %v", err)
	}
}

func TestRangesAreReadAsOneOrTwoDurations(t *testing.T) {
	for s, want := range map[string]Range{
		"2s..25s":      Between(2*time.Second, 25*time.Second),
		"50ms":         Exactly(50 * time.Millisecond),
		"0":            {},
		"0..0":         {},
		"0..5ms":       Between(0, 5*time.Millisecond),
		"5m..5m":       Exactly(5 * time.Minute),
		"1.5s..0.5m":   Between(1500*time.Millisecond, 30*time.Second),
		"0s..2562047h": Between(0, 2562047*time.Hour),
	} {
		if got, err := ParseRange(s); err != nil || got != want {
			t.Errorf("ParseRange(%q) = %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestARefusedRangeSaysWhatIsWrongAndWhatToWrite(t *testing.T) {
	for s, want := range map[string]string{
		"25s..2s":     `range "25s..2s" runs the wrong way round; write "2s..25s"`,
		"5s..0":       `range "5s..0" runs the wrong way round; write "0s..5s"`,
		"-2s..5s":     `range "-2s..5s" cannot be read: duration "-2s" is negative; write "0s" or longer`,
		"2..25s":      `range "2..25s" cannot be read: duration "2" has no unit; write "2s" or "2ms"`,
		"2s..25":      `range "2s..25" cannot be read: duration "25" has no unit; write "25s" or "25ms"`,
		"0..9999999h": `range "0..9999999h" cannot be read: duration "9999999h" is too long to be counted; write at most "2562047h"`,
		"2s..":        `range "2s.." lacks an end; write both, as in "2s..25s"`,
		"..25s":       `range "..25s" lacks an end; write both, as in "2s..25s"`,
		"..":          `range ".." lacks an end; write both, as in "2s..25s"`,
		"0...5ms":     `range "0...5ms" has too many dots; write two, as in "2s..25s"`,
		"-5s":         `duration "-5s" is negative; write "0s" or longer, or a range such as "2s..25s"`,
		"5":           `duration "5" has no unit; write "5s" or "5ms", or a range such as "2s..25s"`,
		"":            `duration "" is empty; write a number with a unit, such as "10s", or a range such as "2s..25s"`,
		"2s-25s":      `duration "2s-25s" cannot be read; write numbers with the units ns, us, ms, s, m or h, such as "10s" or "1m30s", or a range such as "2s..25s"`,
		"1s..2s..3s":  `range "1s..2s..3s" cannot be read: duration "2s..3s" cannot be read; write numbers with the units ns, us, ms, s, m or h, such as "10s" or "1m30s"`,
	} {
		r, err := ParseRange(s)
		if err == nil || err.Error() != want || r != (Range{}) {
			t.Errorf("ParseRange(%q) = %v, %v\nwant the error %s", s, r, err, want)
		}
	}
}

func TestARangeInAGoLiteralIsValidatedLikeText(t *testing.T) {
	for want, r := range map[string]Range{
		`range "25s..2s" runs the wrong way round; write "2s..25s"`:                       Between(25*time.Second, 2*time.Second),
		`range "-2s..5s" is negative; write durations of "0s" or longer, as in "2s..25s"`: Between(-2*time.Second, 5*time.Second),
		`range "2s..-5s" is negative; write durations of "0s" or longer, as in "2s..25s"`: Between(2*time.Second, -5*time.Second),
		`range "-5s" is negative; write durations of "0s" or longer, as in "2s..25s"`:     Exactly(-5 * time.Second),
	} {
		if err := r.Validate(); err == nil || err.Error() != want {
			t.Errorf("Validate: %v\nwant %s", err, want)
		}
		if text, err := r.MarshalText(); err == nil {
			t.Errorf("MarshalText printed %q, which cannot be read back", text)
		}
	}
	for _, r := range []Range{{}, Exactly(1), Between(0, math.MaxInt64)} {
		if err := r.Validate(); err != nil {
			t.Errorf("Validate(%v): %v", r, err)
		}
	}
}

func TestARangeInJSONIsAString(t *testing.T) {
	type scenario struct {
		Rebuild Range `json:"rebuild"`
	}
	text, err := json.Marshal(scenario{Between(2*time.Second, 25*time.Second)})
	if err != nil || string(text) != `{"rebuild":"2s..25s"}` {
		t.Fatalf("json.Marshal: %s, %v", text, err)
	}
	var back scenario
	if err := json.Unmarshal(text, &back); err != nil || back.Rebuild != Between(2*time.Second, 25*time.Second) {
		t.Errorf("json.Unmarshal: %v, %v", back, err)
	}
	err = json.Unmarshal([]byte(`{"rebuild":"25s..2s"}`), &back)
	if err == nil || !strings.Contains(err.Error(), "wrong way round") {
		t.Errorf("json.Unmarshal of a reversed range: %v", err)
	}
	if back.Rebuild != Between(2*time.Second, 25*time.Second) {
		t.Errorf("a refused range overwrote the old one with %v", back.Rebuild)
	}
}

func FuzzParseRange(f *testing.F) {
	for _, s := range []string{
		"2s..25s", "50ms", "0", "0..5ms", "25s..2s", "0...5ms", "1.s...5s", "-1s..2s", "1s..", "..", "",
		"1h0m0.5s..2h", "9223372036854775807ns", "9223372036854775808ns", "-9223372036854775808ns", "1µs", "1μs", "\xff..\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := ParseRange(s)
		if err != nil {
			message := err.Error()
			first, _ := utf8.DecodeRuneInString(message)
			if !unicode.IsLower(first) || strings.ContainsAny(message, "\r\n") || !strings.Contains(message, "; write ") {
				t.Errorf("ParseRange(%q): the error is no readable sentence: %s", s, message)
			}
			return
		}
		if err := r.Validate(); err != nil {
			t.Errorf("ParseRange(%q) accepts what Validate refuses: %v", s, err)
		}
		if again, err := ParseRange(r.String()); err != nil || again != r {
			t.Errorf("ParseRange(%q) = %v, which reads back as %v, %v", s, r, again, err)
		}
	})
}
