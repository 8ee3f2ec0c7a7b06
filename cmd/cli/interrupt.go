package cli

import (
	"context"
	"errors"
	"io"
)

// errInterrupted ends the reading of what could go on for ever.
var errInterrupted = errors.New("interrupted before the end was read")

// interruptible reads until ^C, even where it waits for more.
type interruptible struct {
	ctx    context.Context
	from   io.Reader
	chunks chan chunk
	rest   chunk
}

// chunk is what one call of Read returned.
type chunk struct {
	text []byte
	err  error
}

func (r *interruptible) Read(p []byte) (int, error) {
	if len(r.rest.text) == 0 && r.rest.err == nil {
		if r.ctx.Err() != nil {
			return 0, errInterrupted
		}
		if r.chunks == nil {
			r.chunks = make(chan chunk)
			go r.read()
		}
		select {
		case <-r.ctx.Done():
			return 0, errInterrupted
		case r.rest = <-r.chunks:
		}
	}
	n := copy(p, r.rest.text)
	r.rest.text = r.rest.text[n:]
	if len(r.rest.text) == 0 {
		return n, r.rest.err
	}
	return n, nil
}

// read hands on what there is, until the end or ^C.
func (r *interruptible) read() {
	for {
		c := chunk{text: make([]byte, 1<<16)}
		var n int
		n, c.err = r.from.Read(c.text)
		c.text = c.text[:n]
		select {
		case <-r.ctx.Done():
			return
		case r.chunks <- c:
		}
		if c.err != nil {
			return
		}
	}
}
