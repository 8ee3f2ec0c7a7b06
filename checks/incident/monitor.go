package incident

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// Monitor reads the output of MONITOR.
type Monitor struct {
	lines  lineReader
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
	if err != nil {
		return nil, err
	}
	return newMonitor(lines), nil
}

func newMonitor(text *bufio.Reader) *Monitor {
	m := &Monitor{}
	m.lines = lineReader{in: text, bad: &m.Bad}
	return m
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
		text, err := m.lines.next()
		if err != nil {
			return nil, err
		}
		if text == "OK" || text == "+OK" {
			continue
		}
		c, err := parse(strings.TrimPrefix(text, "+"))
		if err != nil {
			m.Bad.add(m.lines.line, text, err.Error())
			continue
		}
		c.Line = m.lines.line
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
