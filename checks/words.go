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

// lastLoss returns the last step in which the key expired or was lost by a fault, nil
// if there is none.
func lastLoss(t *model.Trace, key string) *model.TraceStep {
	for i := len(t.Steps) - 1; i >= 0; i-- {
		s := &t.Steps[i]
		if s.Kind == "expire" && s.Key == key {
			return s
		}
		if s.Kind != "fault" && s.Kind != "recovery" || s.Process != "" {
			continue
		}
		for k := range s.Changes {
			if s.Changes[k].Key == key && s.Changes[k].After == "" {
				return s
			}
		}
	}
	return nil
}

// lossText says in words how the lock was lost, and when.
func lossText(s *model.TraceStep) string {
	at := model.FormatDuration(s.Time)
	if s.Kind == "expire" {
		return "the lock expired at " + at
	}
	return "at " + at + " " + s.Text
}

// lapse says in words when the lock was last lost before the given time; it is
// empty if it never was.
func lapse(t *model.Trace, key string, now time.Duration) string {
	s := lastLoss(t, key)
	switch {
	case s == nil:
		return ""
	case s.Kind == "expire" && s.Time == now:
		return ", which expired at that very moment"
	case s.Kind == "expire":
		return fmt.Sprintf(", which expired %s earlier", model.FormatDuration(now-s.Time))
	}
	return "; " + lossText(s)
}
