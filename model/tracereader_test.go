package model

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// endless is a reader of a text that goes on for ever, which counts what is read of it.
type endless struct {
	head string
	read int
}

func (e *endless) Read(p []byte) (n int, err error) {
	n = copy(p, e.head[min(e.read, len(e.head)):])
	for n < len(p) {
		n += copy(p[n:], " ")
	}
	e.read += n
	return n, nil
}

// A text, steps or values beyond the limits are refused, and nothing is read beyond them.
func TestLimitsOfTraces(t *testing.T) {
	text, err := os.ReadFile("testdata/lease.json")
	if err != nil {
		t.Fatal(err)
	}
	trace, err := ReadTrace(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	most := traceLimits{size: len(text), steps: len(trace.Steps), values: 160}
	for _, c := range []struct {
		size, steps, values int
		want                string
	}{
		{0, 0, 0, ""},
		{-1, 0, 0, fmt.Sprintf("the text is larger than %d bytes, and no trace is", len(text)-1)},
		{0, -1, 0, "164:5: steps[7]: the trace has more than 7 steps; no counterexample that anybody can read has"},
		{0, 0, -1, "199:15: steps[7].text: the text has more than 159 values, and no trace has"},
	} {
		r := &endless{head: string(text)}
		less := traceLimits{most.size + c.size, most.steps + c.steps, most.values + c.values}
		_, err := readTrace(strings.NewReader(string(text)), less)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("with the limits %v: %v\nwant %s", less, err, c.want)
		}
		if _, err = readTrace(r, less); err == nil || r.read > less.size+1 {
			t.Errorf("with the limits %v %d bytes were read of a text without end: %v", less, r.read, err)
		}
	}
}
