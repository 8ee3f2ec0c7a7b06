package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Format is how a file of a sweep calls itself, FormatVersion the version of what it has.
const (
	Format        = "lockstep-sweep"
	FormatVersion = 1
)

// header is the first line of a file.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	// Points is how many there are in all, Shard which of them are in the file.
	Points int    `json:"points"`
	Shard  string `json:"shard"`
	Plan   *Plan  `json:"plan"`
}

func newHeader(p *Plan, points int, s Shard) *header {
	return &header{Format, FormatVersion, points, s.String(), p}
}

// line is a value as a line of a file.
func line(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}

// contents is what a file of a sweep holds.
type contents struct {
	header header
	shard  Shard
	values [][]string
	// points are those that are done, in the order in which they stand in the file.
	points []*Point
	// whole is how many bytes are whole lines.
	whole int
}

// errTorn says that a file ends within its first line.
var errTorn = errors.New("it ends before its first line does; no point was done, so delete it and begin anew")

// parse reads a file. A last line that is not whole is left out: it is what a sweep leaves
// that is killed while it writes.
func parse(text []byte) (*contents, error) {
	c := &contents{}
	first, rest, ok := bytes.Cut(text, []byte("\n"))
	if !ok {
		if bytes.HasPrefix(text, []byte(`{"format":"`+Format)) || len(text) == 0 {
			return nil, errTorn
		}
		return nil, errors.New("it is no file of a sweep; lockstep sweep --out writes one")
	}
	if err := json.Unmarshal(first, &c.header); err != nil || c.header.Format != Format || c.header.Plan == nil {
		return nil, errors.New("it is no file of a sweep; lockstep sweep --out writes one")
	}
	if c.header.Version != FormatVersion {
		return nil, fmt.Errorf("it has version %d of the format, and this program knows %d; use the program that wrote it", c.header.Version, FormatVersion)
	}
	var err error
	if c.shard, err = ParseShard(c.header.Shard); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	if c.values, err = c.header.Plan.Points(); err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	if len(c.values) != c.header.Points {
		return nil, fmt.Errorf("line 1: there are to be %d points, and the plan has %d: it was made by another version of the program", c.header.Points, len(c.values))
	}
	c.whole = len(first) + 1
	done := make([]bool, len(c.values))
	for number := 2; len(rest) > 0; number++ {
		one, after, ended := bytes.Cut(rest, []byte("\n"))
		p, err := c.point(one)
		switch {
		case !ended, err != nil && len(after) == 0:
			return c, nil
		case err != nil:
			return nil, fmt.Errorf("line %d: %w; delete the line, and the sweep does its point again", number, err)
		case done[p.Number]:
			return nil, fmt.Errorf("line %d: point %d is there twice; delete one of its lines", number, p.Number)
		}
		done[p.Number] = true
		c.points = append(c.points, p)
		c.whole += len(one) + 1
		rest = after
	}
	return c, nil
}

// point reads a line that has a point of the plan.
func (c *contents) point(text []byte) (*Point, error) {
	p := &Point{Number: -1}
	if err := json.Unmarshal(text, p); err != nil {
		return nil, fmt.Errorf("it is no point of a sweep: %w", err)
	}
	switch plan := c.header.Plan; {
	case p.Number < 0 || p.Number >= len(c.values):
		return nil, fmt.Errorf("there is no point %d in a plan of %d", p.Number, len(c.values))
	case !c.shard.has(p.Number):
		return nil, fmt.Errorf("point %d is not of the shard %s", p.Number, c.shard)
	case !slices.Equal(p.Values, c.values[p.Number]):
		return nil, fmt.Errorf("point %d is %v in the plan, and %v here", p.Number, c.values[p.Number], p.Values)
	case (p.Check != nil) != plan.Check, (p.Simulation != nil) != plan.Simulate:
		return nil, fmt.Errorf("point %d does not have the %s that the plan asks for", p.Number, plan.does())
	}
	return p, nil
}
