package incident

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agnivade/levenshtein"
)

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// numbered names places, of which there are so many.
func numbered(places []place, many int) string {
	var texts, lines []string
	for _, p := range places {
		texts = append(texts, p.String())
		lines = append(lines, strconv.Itoa(p.Line))
	}
	text := "in " + strings.Join(texts, ", ")
	if len(places) > 0 && places[0].File == "" && !places[0].step {
		text = "in the lines " + strings.Join(lines, ", ")
	}
	if many > len(places) {
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
