package checks

import (
	"fmt"
	"strings"
	"time"

	"lockstep/model"
)

// keyName is a key of a trace, store/key, without its store.
func keyName(key string) string {
	_, name, ok := strings.Cut(key, "/")
	if !ok {
		return key
	}
	return name
}

// nodeOf is the node of a process of a trace.
func nodeOf(process string) string {
	node, _, _ := strings.Cut(process, "/")
	return node
}

// sameFamily reports whether two processes belong to the same request.
func sameFamily(a, b string) bool {
	x, _, _ := strings.Cut(a, ".")
	y, _, _ := strings.Cut(b, ".")
	return x == y
}

// versionName is a value of a trace in words.
func versionName(value string) string {
	if len(value) > 1 && value[0] == 'v' {
		return "version " + value[1:]
	}
	return value
}

func without(list []string, gone func(string) bool) []string {
	kept := list[:0]
	for _, s := range list {
		if !gone(s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// believedKeys returns the locks that the process believes, before the last step
// of the trace, that it holds.
func believedKeys(t *model.Trace, process string) []string {
	var keys []string
	for i := range t.Steps[:len(t.Steps)-1] {
		s := &t.Steps[i]
		for k := range s.Marks {
			m := &s.Marks[k]
			if s.By(m) != process {
				continue
			}
			switch m.Kind {
			case "acquired":
				keys = append(keys, m.Subject)
			case "releasing":
				keys = without(keys, func(k string) bool { return k == m.Subject })
			}
		}
	}
	return keys
}

// lastExpiry returns when the key last expired.
func lastExpiry(t *model.Trace, key string) (time.Duration, bool) {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		if s := &t.Steps[i]; s.Kind == "expire" && s.Key == key {
			return s.Time, true
		}
	}
	return 0, false
}

// lapse says in words when the lock last expired before the given time; it is
// empty if it never did.
func lapse(t *model.Trace, key string, now time.Duration) string {
	at, ok := lastExpiry(t, key)
	switch {
	case !ok:
		return ""
	case at == now:
		return ", which expired at that very moment"
	}
	return fmt.Sprintf(", which expired %s earlier", model.FormatDuration(now-at))
}
