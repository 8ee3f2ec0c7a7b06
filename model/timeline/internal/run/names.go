package run

import (
	"slices"
	"strings"

	"lockstep/model"
)

// Nodes returns the nodes of the trace: n0, n1 ... n10, then u0 ...
func Nodes(t *model.Trace) []string {
	var nodes []string
	seen := map[string]bool{}
	for i := range t.Steps {
		if n := t.Steps[i].Node; n != "" && !seen[n] {
			seen[n] = true
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b string) int {
		// n10 comes after n9.
		if len(a) != len(b) && a[0] == b[0] {
			return len(a) - len(b)
		}
		return strings.Compare(a, b)
	})
	return nodes
}

// Keys returns the keys of which the trace changes the entries, in the order of their first
// changes.
func Keys(t *model.Trace) []string {
	var keys []string
	seen := map[string]bool{}
	for i := range t.Steps {
		for _, c := range t.Steps[i].Changes {
			if !seen[c.Key] {
				seen[c.Key] = true
				keys = append(keys, c.Key)
			}
		}
	}
	return keys
}

// Store returns the store that a fault or a recovery strikes as a whole, empty for none.
func Store(s *model.TraceStep) string {
	if s.Kind != "fault" && s.Kind != "recovery" || s.Operation != "" || len(s.Arguments) == 0 {
		return ""
	}
	return s.Arguments[0]
}

// On reports whether the process runs on the node.
func On(process, node string) bool {
	return len(process) > len(node) && process[:len(node)] == node && process[len(node)] == '/'
}

// Root reports whether the process was not spawned by another one.
func Root(process string) bool { return !strings.Contains(process, ".") }

// KeyName returns the key without its store.
func KeyName(key string) string {
	_, name, ok := strings.Cut(key, "/")
	if !ok {
		return key
	}
	return name
}
