package catalogue

import (
	"embed"
	"strings"
)

//go:embed *.go
var files embed.FS

// Source returns the text of a file of the catalogue by its name in a trace, as
// lockstep/protocol/catalogue/lease.go.
func Source(file string) (text string, ok bool) {
	name, ok := strings.CutPrefix(file, "lockstep/protocol/catalogue/")
	if !ok {
		return "", false
	}
	b, err := files.ReadFile(name)
	return string(b), err == nil
}
