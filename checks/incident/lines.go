package incident

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// Limits on what is read. A line that is longer is a bad one.
const (
	maxLine    = 1 << 20
	maxBadKept = 5
)

// BadLine is a line that cannot be read, and why. File is empty if there is only one.
type BadLine struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"`
	Text string `json:"text"`
	Why  string `json:"why"`
}

// Bad are the lines that could not be read: how many, and the first few.
type Bad struct {
	Count int       `json:"count"`
	First []BadLine `json:"first,omitempty"`
}

func (b *Bad) add(line int, text, why string) {
	b.Count++
	if len(b.First) < maxBadKept {
		if len(text) > 80 {
			text = text[:80] + "..."
		}
		b.First = append(b.First, BadLine{Line: line, Text: text, Why: why})
	}
}

// join adds the bad lines of a file.
func (b *Bad) join(other *Bad, file string) {
	b.Count += other.Count
	for _, l := range other.First {
		if len(b.First) < maxBadKept {
			if l.File == "" {
				l.File = file
			}
			b.First = append(b.First, l)
		}
	}
}

// lineReader reads lines of text.
type lineReader struct {
	in *bufio.Reader
	// line is the number of the last one.
	line int
	bad  *Bad
}

// next returns the next line without its end that is not too long and has something in it; io.EOF
// after the last one.
func (r *lineReader) next() (string, error) {
	for {
		text, whole, err := r.read()
		if err != nil {
			return "", err
		}
		if !whole {
			r.bad.add(r.line, text, fmt.Sprintf("the line is longer than %d bytes", maxLine))
			continue
		}
		if text != "" {
			return text, nil
		}
	}
}

// read returns the next line without its end, and whether all of it was kept.
func (r *lineReader) read() (text string, whole bool, err error) {
	var line []byte
	whole = true
	r.line++
	for {
		part, err := r.in.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0 && whole:
			return "", false, io.EOF
		case cutOff(err):
			r.bad.add(r.line, string(line), "the file ends in the middle: it was cut off")
			return "", false, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return "", false, err
		}
		return string(bytes.TrimRight(line, "\r\n")), whole, nil
	}
}

// cutOff reports whether an error says that a gzip file was cut off or damaged.
func cutOff(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}

// unpack returns a reader of the text, which may be compressed by gzip.
func unpack(r io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(r, 1<<16)
	if magic, err := text.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		unpacked, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("this begins like a gzip file and is none: %w", err)
		}
		return bufio.NewReaderSize(unpacked, 1<<16), nil
	}
	return text, nil
}
