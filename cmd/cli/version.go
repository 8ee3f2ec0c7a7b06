package cli

import (
	"fmt"
	"runtime/debug"
	"strings"
)

// version says which lockstep this is: its module's version, and how it was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	is := info.Main.Version
	for _, m := range info.Deps {
		// A command of one's own has it as a dependency.
		if m.Path == "lockstep" {
			is = m.Version
		}
	}
	return strings.TrimSpace(fmt.Sprintf("%s (%s)", is, info.GoVersion))
}
