package sweep

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// Merge puts the files of shards together into one, which then has the bytes of a sweep that
// was not divided. It is an error, and nothing is written, if the files have different plans,
// or if a point is missing or is there twice.
func Merge(files []string, out string) (*Sweep, error) {
	if len(files) == 0 {
		return nil, errors.New("there are no files to merge; name those of all shards")
	}
	var first *contents
	var points []*Point
	from := map[int]string{}
	shards := map[Shard]bool{}
	for i, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		c, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if i == 0 {
			first = c
		} else if d := first.header.Plan.difference(c.header.Plan); d != "" {
			return nil, fmt.Errorf("%s is of another sweep than %s (%s); merge the shards of one", name, files[0], d)
		}
		for _, p := range c.points {
			if other, ok := from[p.Number]; ok {
				return nil, fmt.Errorf("%s has point %d (%s), which %s has, too; name each shard once", name, p.Number, Words(c.header.Plan.Axes, p.Values), other)
			}
			from[p.Number] = name
		}
		points = append(points, c.points...)
		if size := c.shard.size(len(c.values)); len(c.points) < size {
			return nil, fmt.Errorf("%s is not complete: it has %d of the %d points of shard %s; finish it with the command that wrote it", name, len(c.points), size, c.shard)
		}
		shards[c.shard] = true
	}
	if len(points) < len(first.values) {
		return nil, fmt.Errorf("%d of %d points are missing: %s", len(first.values)-len(points), len(first.values), missingShards(first.shard.Of, shards))
	}
	all := &contents{header: *newHeader(first.header.Plan, len(first.values), Whole), shard: Whole, values: first.values, points: points}
	s := all.sweep()
	text, err := canonical(all.header, s.Points)
	if err != nil {
		return nil, err
	}
	if out, err = place(out); err != nil {
		return nil, err
	}
	if err := all.mayReplace(out); err != nil {
		return nil, err
	}
	return s, replace(out, text)
}

// mayReplace refuses to replace a file that has anything but results of the same plan.
func (c *contents) mayReplace(name string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	before, err := parse(text)
	if err != nil {
		return fmt.Errorf("%s would be replaced: %w; write to another file with --out, or delete this one", name, err)
	}
	if d := c.header.Plan.difference(before.header.Plan); d != "" {
		return &PlanError{name, d}
	}
	return nil
}

// missingShards names the shards that are not there, of so many.
func missingShards(of int, there map[Shard]bool) string {
	var names []string
	for i := range of {
		if s := (Shard{i + 1, of}); !there[s] {
			names = append(names, s.String())
		}
	}
	if len(names) > 5 {
		names = append(names[:5], fmt.Sprintf("%d more", len(names)-5))
	}
	return "name the files of the shards " + strings.Join(names, ", ") + " as well"
}
