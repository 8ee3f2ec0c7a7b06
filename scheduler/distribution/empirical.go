package distribution

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"lockstep/model"
)

// ReadEmpirical reads a distribution from a file of that name: durations with units as
// "120ms", one a line, each of which is as likely as any other. Empty lines and those that
// begin with # are skipped. An error names the line.
func ReadEmpirical(name string, r io.Reader) (Distribution, error) {
	durations, err := readDurations(name, r)
	return empirical{name, durations}, err
}

type empirical struct {
	name      string
	durations []time.Duration
}

func (e empirical) Sample(r rand.Source) time.Duration {
	return e.durations[below(r, uint64(len(e.durations)))]
}

func (e empirical) Range() model.Range {
	return model.Range{Min: slices.Min(e.durations), Max: slices.Max(e.durations)}
}

func (e empirical) String() string { return "file:" + e.name }

// readDurations reads one duration a line, at least one.
func readDurations(name string, r io.Reader) ([]time.Duration, error) {
	var all []time.Duration
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		d, err := model.ParseDuration(text)
		if err == nil {
			err = valid(d)
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		all = append(all, d)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: there is no duration in the file; write one a line, as in 120ms", name)
	}
	return all, nil
}
