package cli

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write the golden outputs anew")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"lockstep": func() { os.Exit(run()) }})
}

// The scripts in testdata/script are what a user types and sees.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true})
}
