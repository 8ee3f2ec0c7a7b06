package cli

import (
	"strings"
	"testing"

	"lockstep/checks"
)

// Each property is violated in its example.
func TestEachPropertyIsViolatedInItsExample(t *testing.T) {
	for _, k := range checks.Kinds() {
		example := exampleOf(&k)
		if example == "" {
			continue
		}
		if code := exitOf(t, strings.Fields(example)[1:]); code != exitViolated {
			t.Errorf("%s: the exit code of %s is %d", k.Name, example, code)
		}
	}
}
