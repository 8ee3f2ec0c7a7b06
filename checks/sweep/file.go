package sweep

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// file is the file of a sweep that is under way. It is locked against other processes.
type file struct {
	name string
	*contents
	lock *flock.Flock
	f    *os.File
}

// PlanError says that a file has the results of another sweep.
type PlanError struct{ File, Difference string }

func (e *PlanError) Error() string {
	return fmt.Sprintf("%s has the results of another sweep (%s); write to another file with --out, or delete this one", e.File, e.Difference)
}

// PlaceError says that there can be no file where one is to be written.
type PlaceError struct{ Place, Why string }

func (e *PlaceError) Error() string {
	return fmt.Sprintf("a sweep is written to a file, and %q %s; name another with --out", e.Place, e.Why)
}

// open opens the file of a sweep, which it makes if there is none, and cuts off a last line
// that is not whole.
func open(name string, p *Plan, points [][]string, s Shard) (*file, error) {
	first, err := line(newHeader(p, len(points), s))
	if err != nil {
		return nil, err
	}
	if name, err = place(name); err != nil {
		return nil, err
	}
	// What is refused leaves no lock behind.
	if _, err := (&file{name: name}).read(first, p, s); err != nil {
		return nil, err
	}
	// The lock is a file of its own: the file itself is replaced at the end.
	lock := flock.New(name + ".lock")
	locked, err := lock.TryLock()
	if err != nil {
		return nil, err
	}
	if !locked {
		return nil, fmt.Errorf("another process is at work on %s; wait for it, or write to another file with --out", name)
	}
	f := &file{name: name, lock: lock}
	if err := f.open(first, p, s); err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// place returns where a file is to be that a link may name. It refuses what is no file, which
// a file would take the place of.
func place(name string) (string, error) {
	if name == "" || name == "-" {
		return "", &PlaceError{name, "is none"}
	}
	is, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return name, nil
	case err != nil:
		return "", err
	case !is.Mode().IsRegular():
		return "", &PlaceError{name, "is there and is none"}
	}
	return filepath.EvalSymlinks(name)
}

// read reads what there is. begins says that there is nothing yet, or a torn first line.
func (f *file) read(first []byte, p *Plan, s Shard) (begins bool, err error) {
	text, err := os.ReadFile(f.name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	if begins = bytes.HasPrefix(first, text); begins {
		text = first
	}
	if f.contents, err = parse(text); err != nil {
		return false, fmt.Errorf("%s: %w", f.name, err)
	}
	if d := p.difference(f.header.Plan); d != "" {
		return false, &PlanError{f.name, d}
	}
	if f.shard != s {
		return false, &PlanError{f.name, fmt.Sprintf("the shard: %s, not %s", f.shard, s)}
	}
	return begins, nil
}

func (f *file) open(first []byte, p *Plan, s Shard) error {
	begins, err := f.read(first, p, s)
	if err != nil {
		return err
	}
	if begins {
		if err := replace(f.name, first); err != nil {
			return err
		}
	}
	if f.f, err = os.OpenFile(f.name, os.O_RDWR, 0); err != nil {
		return err
	}
	if err := f.f.Truncate(int64(f.whole)); err != nil {
		return err
	}
	_, err = f.f.Seek(int64(f.whole), 0)
	return err
}

// add appends a point. When it returns the point is on the disk.
func (f *file) add(p *Point) error {
	text, err := line(p)
	if err != nil {
		return err
	}
	if _, err := f.f.Write(text); err != nil {
		return err
	}
	if err := f.f.Sync(); err != nil {
		return err
	}
	f.points = append(f.points, p)
	return nil
}

// order puts the lines of a complete file in the order of the points.
func (f *file) order() error {
	text, err := canonical(f.header, f.sweep().Points)
	if err != nil {
		return err
	}
	now, err := os.ReadFile(f.name)
	if err != nil || bytes.Equal(now, text) {
		return err
	}
	return replace(f.name, text)
}

// canonical is what a file has whose points are all done.
func canonical(h header, points []*Point) ([]byte, error) {
	all, err := line(h)
	if err != nil {
		return nil, err
	}
	for _, p := range points {
		text, err := line(p)
		if err != nil {
			return nil, err
		}
		all = append(all, text...)
	}
	return all, nil
}

// close gives the file up, and its lock. The file of the lock is deleted once there is nothing
// left to do: then it does no harm if two processes lock two files of one name.
func (f *file) close() error {
	var err error
	if f.f != nil {
		err = f.f.Close()
		if len(f.points) == f.shard.size(len(f.values)) {
			err = errors.Join(err, os.Remove(f.lock.Path()))
		}
	}
	return errors.Join(err, f.lock.Close())
}

// replace gives a file new contents in one step, after which they are on the disk.
func replace(name string, text []byte) error {
	// The same name every time, so that a process that is killed leaves one at most.
	next := name + ".next"
	f, err := os.Create(next)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(next, name); err != nil {
		return err
	}
	directory, err := os.Open(filepath.Dir(name))
	if err != nil {
		return err
	}
	// Some systems cannot synchronise a directory, and need not.
	_ = directory.Sync()
	return directory.Close()
}
