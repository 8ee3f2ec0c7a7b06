package incident

import (
	"fmt"
	"strconv"
	"strings"
	"time"
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
