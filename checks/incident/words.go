package incident

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

// who names the holder of a lock.
func who(h *holding) string { return fmt.Sprintf("%s (%s)", h.token, h.client) }

// named names a client by the lock that it holds or held, if it does.
func named(c *Command, by *client) string {
	if by.holding != nil {
		return fmt.Sprintf("%s (%s)", by.holding.token, c.Client)
	}
	return c.Client
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// numbered names lines, of which there are so many.
func numbered(lines []int, many int) string {
	var texts []string
	for _, n := range lines {
		texts = append(texts, strconv.Itoa(n))
	}
	text := "in the lines " + strings.Join(texts, ", ")
	if many > len(lines) {
		text += " and further ones"
	}
	return text
}

// nearest says which of some names may be meant by another.
func nearest(name string, valid []string) string {
	sorted := slices.Clone(valid)
	slices.SortStableFunc(sorted, func(a, b string) int {
		return cmp.Compare(levenshtein.ComputeDistance(name, a), levenshtein.ComputeDistance(name, b))
	})
	return "the nearest are " + strings.Join(sorted[:min(3, len(sorted))], ", ")
}

// number is the number of a version, as 12 or v12, -1 if it is none.
func number(version string) int64 {
	n, err := strconv.ParseInt(strings.TrimPrefix(version, "v"), 10, 62)
	if err != nil || n < 0 {
		return -1
	}
	return n
}
