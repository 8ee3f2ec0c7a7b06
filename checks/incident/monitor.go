package incident

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Limits on what is read. A line that is longer is a bad one.
const (
	maxLine    = 1 << 20
	maxBadKept = 5
)

// BadLine is a line that cannot be read, and why.
type BadLine struct {
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
		b.First = append(b.First, BadLine{line, text, why})
	}
}

// Monitor reads the output of MONITOR.
type Monitor struct {
	lines  *bufio.Reader
	line   int
	caller string
	// Bad are the lines that were passed over so far.
	Bad Bad
	// Back is how often the clock of the server has stepped back so far.
	Back int
	last time.Time
}

// NewMonitor returns a reader of what MONITOR has printed, compressed by gzip or not.
func NewMonitor(r io.Reader) (*Monitor, error) {
	lines, err := unpack(r)
	return &Monitor{lines: lines}, err
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

// Open unpacks a recording if it is compressed, and reports whether it is a history in EDN
// rather than the output of MONITOR, by how it begins.
func Open(r io.Reader) (text io.Reader, history bool, err error) {
	lines, err := unpack(r)
	if err != nil {
		return nil, false, err
	}
	begin, _ := lines.Peek(256)
	return lines, IsHistory(begin), nil
}

// Next returns the next command, io.EOF after the last one. Lines that cannot be read are
// noted and passed over; an error is one of the input itself.
func (m *Monitor) Next() (*Command, error) {
	for {
		text, whole, err := m.read()
		if err != nil {
			return nil, err
		}
		if !whole {
			m.Bad.add(m.line, text, fmt.Sprintf("the line is longer than %d bytes", maxLine))
			continue
		}
		if text == "" || text == "OK" || text == "+OK" {
			continue
		}
		c, err := parse(text)
		if err != nil {
			m.Bad.add(m.line, text, err.Error())
			continue
		}
		c.Line = m.line
		if c.Script {
			c.Client = m.caller
		} else {
			m.caller = c.Client
		}
		if c.Time.Before(m.last) {
			m.Back++
		}
		m.last = c.Time
		return c, nil
	}
}

// read returns the next line without its end, and whether all of it was kept.
func (m *Monitor) read() (text string, whole bool, err error) {
	var line []byte
	whole = true
	m.line++
	for {
		part, err := m.lines.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxLine; whole {
			line = append(line, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(line) == 0:
			return "", false, io.EOF
		case errors.Is(err, io.ErrUnexpectedEOF):
			// A gzip file that was cut off.
			m.Bad.add(m.line, "", "the file ends in the middle: it was cut off")
			return "", false, io.EOF
		case err != nil && !errors.Is(err, io.EOF):
			return "", false, err
		}
		return string(bytes.TrimRight(line, "\r\n")), whole, nil
	}
}

// parse reads a line as
//
//	1796068672.611210 [0 127.0.0.1:49154] "set" "lock" "n0" "nx"
//
// where "lua" stands for the address if a script does it.
func parse(text string) (*Command, error) {
	stamp, rest, ok := strings.Cut(text, " [")
	if !ok {
		return nil, errors.New("this is no line of MONITOR: it begins with a time and [database address]")
	}
	seconds, micros, _ := strings.Cut(stamp, ".")
	s, err := strconv.ParseInt(seconds, 10, 40)
	u, wrong := strconv.ParseUint((micros + "000000")[:6], 10, 32)
	if err != nil || wrong != nil || s < 0 {
		return nil, fmt.Errorf("%q is not a time in seconds", stamp)
	}
	where, rest, ok := strings.Cut(rest, "] ")
	if !ok {
		return nil, errors.New("the line ends before the command")
	}
	db, address, ok := strings.Cut(where, " ")
	n, err := strconv.Atoi(db)
	if !ok || err != nil {
		return nil, fmt.Errorf("%q is not a database and an address", where)
	}
	words, err := unquote(rest)
	if err != nil {
		return nil, err
	}
	if len(words) == 0 {
		return nil, errors.New("there is no command")
	}
	return &Command{
		Time: time.Unix(s, int64(u)*1000).UTC(), DB: n, Client: address, Script: address == "lua",
		Name: strings.ToLower(words[0]), Args: words[1:],
	}, nil
}

// unquote reads words that are quoted as the server quotes them: \n \r \t \a \b \\ \" and
// \x with two digits.
func unquote(text string) ([]string, error) {
	var words []string
	for text != "" {
		if text[0] != '"' {
			return nil, errors.New("a word is not quoted")
		}
		var word []byte
		i := 1
		for ; i < len(text) && text[i] != '"'; i++ {
			c := text[i]
			if c == '\\' {
				if i++; i == len(text) {
					break
				}
				switch c = text[i]; c {
				case 'n':
					c = '\n'
				case 'r':
					c = '\r'
				case 't':
					c = '\t'
				case 'a':
					c = '\a'
				case 'b':
					c = '\b'
				case 'x':
					if i+2 >= len(text) {
						return nil, errors.New("the line ends within a word: it was cut off")
					}
					v, err := strconv.ParseUint(text[i+1:i+3], 16, 8)
					if err != nil {
						return nil, fmt.Errorf(`\x%s is no byte`, text[i+1:i+3])
					}
					c, i = byte(v), i+2
				}
			}
			word = append(word, c)
		}
		if i >= len(text) {
			return nil, errors.New("the line ends within a word: it was cut off")
		}
		words = append(words, string(word))
		text = strings.TrimPrefix(text[i+1:], " ")
	}
	return words, nil
}
