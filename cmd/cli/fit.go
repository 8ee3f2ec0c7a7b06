package cli

import (
	"strings"
	"unicode/utf8"
)

// fit breaks what is wider than width at words, and leaves the rest as it is. Running text
// is filled anew. Of a line with columns the last one is broken, below where it begins. A
// command is continued with \ between flags.
func fit(text string, width int) string {
	lines := strings.Split(text, "\n")
	var out []string
	for len(lines) > 0 {
		n := paragraph(lines)
		part := lines[:n]
		lines = lines[n:]
		if fits(part, width) {
			out = append(out, part...)
			continue
		}
		out = append(out, broken(strings.Join(part, " "), width)...)
	}
	return strings.Join(out, "\n")
}

// paragraph returns how many of the lines are one text.
func paragraph(lines []string) int {
	n := 0
	for n < len(lines) && lines[n] != "" && lines[n][0] != ' ' && !strings.Contains(lines[n], columnGap) {
		n++
	}
	return max(n, 1)
}

func fits(lines []string, width int) bool {
	for _, line := range lines {
		if utf8.RuneCountInString(line) > width {
			return false
		}
	}
	return true
}

const (
	// columnGap is what is between two columns, at least.
	columnGap = "  "
	// columnRoom is how wide a column is, at least, that is broken beside the one before it.
	columnRoom = 24
)

// broken breaks a line that is too wide.
func broken(line string, width int) []string {
	words := strings.TrimLeft(line, " ")
	indent := len(line) - len(words)
	if indent > 0 && strings.HasPrefix(words, "lockstep ") {
		return strings.Split(folded(words, width), "\n")
	}
	gap := strings.LastIndex(words, columnGap)
	if gap < 0 {
		return hanging(line[:indent], words, indent, width)
	}
	// Columns are told by the gap alone: what is before it is kept.
	before, last := line[:indent+gap+len(columnGap)], words[gap+len(columnGap):]
	if room := width - utf8.RuneCountInString(before); room >= columnRoom {
		return hanging(before, last, width-room, width)
	}
	below := indent + 6
	return append([]string{strings.TrimRight(before, " ")}, hanging(strings.Repeat(" ", below), last, below, width)...)
}

// hanging breaks the words that follow the beginning of a line; further lines are indented.
func hanging(line, words string, indent, width int) []string {
	var out []string
	empty := true
	for _, word := range strings.Fields(words) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			out = append(out, line)
			line, empty = strings.Repeat(" ", indent), true
		}
		if !empty {
			line += " "
		}
		line += word
		empty = false
	}
	return append(out, line)
}
