package cli

import (
	"strings"
	"testing"
	"time"

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

type (
	unreadable struct {
		bare
		TTL time.Duration `default:"5"`
	}
	unsuitable struct {
		bare
		Names []string
	}
	timeout struct {
		bare
		Timeout time.Duration
	}
	depth struct {
		bare
		Depth int
	}
)

// Fields of protocols are flags: what cannot be one is refused in words, and with what to do.
func TestMainRefusesFieldsThatCannotBeFlags(t *testing.T) {
	for want, p := range map[string]func() protocol.Protocol{
		`"5" has no unit`:           func() protocol.Protocol { return &unreadable{} },
		"type []string":             func() protocol.Protocol { return &unsuitable{} },
		"lockstep check has a flag": func() protocol.Protocol { return &timeout{} },
		"lockstep hunt has a flag":  func() protocol.Protocol { return &depth{} },
		"no pointer to a struct":    func() protocol.Protocol { return bare{} },
		"returns no pointer":        func() protocol.Protocol { return nil },
	} {
		err := valid([]Protocol{{Name: "mine", New: p}})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `"mine"`) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for _, e := range catalogue.All() {
		if err := validParameters(e, takenFlags()); err != nil {
			t.Error(err)
		}
	}
}
