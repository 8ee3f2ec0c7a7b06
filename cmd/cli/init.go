package cli

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"text/template"

	"github.com/spf13/cobra"
)

//go:embed skeleton
var skeleton embed.FS

// skeletonFiles are what init writes, by template.
var skeletonFiles = []struct{ template, file string }{
	{"go.mod.tmpl", "go.mod"},
	{"protocol.go.tmpl", "rebuild.go"},
	{"protocol_test.go.tmpl", "rebuild_test.go"},
	{"main.go.tmpl", "cmd/check/main.go"},
	{"ci.yml.tmpl", ".github/workflows/lockstep.yml"},
}

type initFlags struct {
	module, source string
}

func newInit() *cobra.Command {
	f := &initFlags{}
	c := &cobra.Command{
		Use:   "init DIR",
		Short: "write a module with a protocol, its tests and a command of its own, to start from",
		Long: `Init writes a module into a directory that is new or empty: a small protocol, tests of it, a
command with all of lockstep for it, and a workflow that runs the tests. It then lets go mod tidy
fetch what the module needs.`,
		Example: `  lockstep init mylock
  cd mylock && go test ./... && go run ./cmd/check check rebuild --pause 1x12s`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("init wants one directory, for example lockstep init mylock")
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args[0]) },
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.module, "module", "", "the path of the module (default example.org/ and the name of the directory)")
	c.Flags().StringVar(&f.source, "source", "", "the directory with Lockstep's source (default that from which this program was built)")
	return c
}

var moduleName = regexp.MustCompile(`^[a-z0-9][a-z0-9._~-]*(/[a-z0-9._~-]+)*$`)

func (f *initFlags) run(c *cobra.Command, dir string) error {
	data, err := f.data(dir)
	if err != nil {
		return err
	}
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return usage("%s is not empty: name a directory that is new, or empty", dir)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage("%w", err)
	}
	templates, err := template.ParseFS(skeleton, "skeleton/*.tmpl")
	if err != nil {
		return err
	}
	for _, s := range skeletonFiles {
		var text bytes.Buffer
		if err := templates.ExecuteTemplate(&text, s.template, data); err != nil {
			return err
		}
		file := filepath.Join(dir, filepath.FromSlash(s.file))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return asOutput(err)
		}
		if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
			return asOutput(err)
		}
	}
	tidy := exec.CommandContext(c.Context(), "go", "mod", "tidy")
	tidy.Dir = dir
	if out, err := tidy.CombinedOutput(); err != nil {
		return asOutput(fmt.Errorf("the module is in %s, but go mod tidy fails there: %w\n%s", dir, err, bytes.TrimSpace(out)))
	}
	_, err = fmt.Fprintf(c.OutOrStdout(), "Wrote a module to %s. Next:\n\n  cd %s\n  go test ./...\n  go run ./cmd/check check rebuild --pause 1x12s\n", dir, dir)
	return asOutput(err)
}

// skeletonData is what the templates say.
type skeletonData struct{ Module, Package, Go, Source string }

func (f *initFlags) data(dir string) (skeletonData, error) {
	d := skeletonData{Go: strings.TrimPrefix(runtime.Version(), "go")}
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return d, usage("%w", err)
	}
	if d.Module = f.module; d.Module == "" {
		d.Module = "example.org/" + strings.ToLower(filepath.Base(absolute))
	}
	if !moduleName.MatchString(d.Module) {
		return d, usage("%q is no path of a module; add --module example.org/mylock", d.Module)
	}
	last := d.Module[strings.LastIndexByte(d.Module, '/')+1:]
	d.Package = regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(last, "")
	if !token.IsIdentifier(d.Package) || d.Package == "main" || d.Package == "cli" || d.Package == "protocol" {
		d.Package = "lock" + d.Package
	}
	if d.Source = f.source; d.Source == "" {
		_, here, _, _ := runtime.Caller(0)
		d.Source = filepath.Dir(filepath.Dir(filepath.Dir(here)))
	}
	if d.Source, err = filepath.Abs(d.Source); err != nil {
		return d, usage("%w", err)
	}
	text, err := os.ReadFile(filepath.Join(d.Source, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module lockstep\n") {
		return d, usage("%s does not have Lockstep's source; say where it is with --source DIR", d.Source)
	}
	if version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(text)); version != nil {
		d.Go = version[1]
	}
	if strings.ContainsAny(d.Source, " \t'\"`\n") {
		d.Source = strconv.Quote(d.Source)
	}
	return d, nil
}
