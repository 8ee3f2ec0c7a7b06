package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
)

// writeTo writes to a file, or to standard output if that is called "-".
func writeTo(c *cobra.Command, file string, write func(w io.Writer) error) error {
	if file == "-" {
		return asOutput(write(c.OutOrStdout()))
	}
	return asOutput(writeFile(file, write))
}

// writeFile writes a file that is there as a whole or not at all: what it had stays until all is
// written. Only what is no file, as a pipe is none, is written directly, and a file in a
// directory that takes no other one.
func writeFile(name string, write func(w io.Writer) error) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		target = name // it is not there yet
	}
	info, err := os.Lstat(target)
	exists := err == nil
	// What the system has in /dev is open somewhere: it cannot be replaced.
	if strings.HasPrefix(name, "/dev/") || exists && !info.Mode().IsRegular() {
		return overwrite(name, write)
	}
	next := fmt.Sprintf("%s.%08x.next", target, rand.Uint32())
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return overwrite(target, write)
	}
	err = write(f)
	if exists {
		err = errors.Join(err, f.Chmod(info.Mode().Perm()))
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(next, target)
	}
	if err != nil {
		err = errors.Join(err, os.Remove(next))
	}
	return err
}

func overwrite(name string, write func(w io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writable says why a file cannot be written, nil if it can. It leaves all as it is.
func writable(name string) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return takesFiles(filepath.Dir(name))
	case err != nil:
		return cause(err)
	case info.IsDir():
		return errors.New("it is a directory")
	case !info.Mode().IsRegular():
		return nil // a pipe is opened once, when there is something to write
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return cause(err)
	}
	return f.Close()
}

// takesFiles says why no file can be made in a directory, nil if one can.
func takesFiles(dir string) error {
	switch info, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no directory %s", dir)
	case err != nil:
		return cause(err)
	case !info.IsDir():
		return fmt.Errorf("%s is no directory", dir)
	}
	f, err := os.CreateTemp(dir, ".lockstep-*")
	if err != nil {
		return cause(err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// cause is an error without the file, which whoever shows it names already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
