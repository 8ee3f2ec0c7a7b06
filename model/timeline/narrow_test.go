package timeline

import (
	"slices"
	"testing"
)

// A key is broken where its parts end, and nothing of it is lost.
func TestKeysAreBrokenWhereTheirPartsEnd(t *testing.T) {
	for _, c := range []struct {
		key   string
		width int
		want  string
	}{
		{"lock:feed", 9, "lock:feed"},
		{"fence:lock:feed", 10, "fence:\nlock:feed"},
		{"fence:lock:feed", 6, "fence:\nlock:\nfeed"},
		{"#1 9.995s", 6, "#1\n9.995s"},
		{"#1 9.995s", 4, "#1\n9.99\n5s"},
		{"a", 6, "a"},
		{"", 6, ""},
	} {
		if got := breakKey(c.key, c.width); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.key, c.width, got, c.want)
		}
	}
}

// Keys give way to steps, the widest first, and no further than there is room to gain.
func TestKeysGiveWayToSteps(t *testing.T) {
	for _, c := range []struct {
		room, want int
		keys, left []int
	}{
		{30, 30, []int{9, 15}, []int{9, 15}},
		{14, 18, []int{9, 15}, []int{9, 11}},
		{8, 18, []int{9, 15}, []int{7, 7}},
		{-9, 18, []int{9, 15}, []int{6, 6}},
		{-9, 18, nil, nil},
	} {
		widths := append([]int{5}, c.keys...)
		if got := narrow(widths, 1, len(c.keys), c.room); got != c.want || !slices.Equal(widths[1:], c.left) {
			t.Errorf("%v with room %d: %d, %v", c.keys, c.room, got, widths[1:])
		}
	}
}
