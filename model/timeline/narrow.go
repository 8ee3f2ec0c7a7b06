package timeline

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	// stepRoom is how wide the column of the steps is at least.
	stepRoom = 18
	// keyRoom is how far the column of a key is narrowed at most.
	keyRoom = 6
)

// narrow takes room from the columns of keys, the widest first, until the steps have enough,
// and returns what they have. The columns are those from first on, as many as there are keys.
func narrow(widths []int, first, keys, room int) int {
	for room < stepRoom {
		widest := first
		for c := first; c < first+keys; c++ {
			if widths[c] > widths[widest] {
				widest = c
			}
		}
		if keys == 0 || widths[widest] <= keyRoom {
			break
		}
		widths[widest]--
		room++
	}
	return max(room, stepRoom)
}

// breakKey breaks a key, or what it holds, where its parts end: at blanks and after colons and
// slashes, and anywhere if a part is too long.
func breakKey(s string, width int) string {
	var lines []string
	line := ""
	for _, part := range keyParts(s) {
		if line != "" && text.StringWidth(strings.TrimRight(line+part, " ")) > width {
			lines, line = append(lines, strings.TrimRight(line, " ")), ""
		}
		line += part
		for text.StringWidth(strings.TrimRight(line, " ")) > width {
			head := []rune(line)[:width]
			lines, line = append(lines, string(head)), line[len(string(head)):]
		}
	}
	return strings.Join(append(lines, strings.TrimRight(line, " ")), "\n")
}

// keyParts are the parts of a key, each with what ends it.
func keyParts(s string) []string {
	var parts []string
	for s != "" {
		end := strings.IndexAny(s, " :/")
		if end < 0 {
			return append(parts, s)
		}
		parts, s = append(parts, s[:end+1]), s[end+1:]
	}
	return parts
}
