package cli

import (
	"strings"
	"testing"

	"lockstep/protocol"
	"lockstep/protocol/catalogue"
)

// Names of protocols are commands: what cannot be typed or is taken is refused.
func TestMainRefusesNamesThatAreNoCommands(t *testing.T) {
	direct := func() protocol.Protocol { return &catalogue.Direct{} }
	for want, own := range map[string][]Protocol{
		"":            {{Name: "mine", New: direct}, {Name: "mine-2", New: direct}},
		"called \"\"": {{New: direct}},
		"My Lock":     {{Name: "My Lock", New: direct}},
		"two":         {{Name: "mine", New: direct}, {Name: "mine", New: direct}},
		"or a":        {{Name: "help", New: direct}},
		"no New":      {{Name: "mine"}},
	} {
		err := valid(own)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
