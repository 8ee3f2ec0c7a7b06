package incident

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
)

// keyword is a keyword or a symbol of EDN, without the colon.
type keyword string

// maxDepth is how deep values may be nested, maxToken how long a token may be.
const (
	maxDepth = 64
	maxToken = 1 << 16
)

// ednReader reads values of EDN, the notation of Clojure in which Jepsen and Knossos keep
// histories: maps, vectors, lists, sets, strings, keywords, symbols, numbers and characters. Tags
// are dropped, and so is what is discarded.
type ednReader struct {
	in   *bufio.Reader
	line int
	// inside: the values are the elements of one vector or list.
	inside bool
}

func newEDN(r io.Reader) *ednReader { return &ednReader{in: bufio.NewReaderSize(r, 1<<16), line: 1} }

var errClosed = errors.New("a bracket closes what was not opened")

// next returns the next value at the top, or of the vector at the top if there is one, and the
// line on which it begins; io.EOF after the last one.
func (r *ednReader) next() (value any, line int, err error) {
	for {
		c, err := r.skip()
		if err != nil {
			return nil, r.line, err
		}
		line = r.line
		switch {
		case !r.inside && (c == '[' || c == '('):
			r.inside = true
			continue
		case r.inside && (c == ']' || c == ')'):
			r.inside = false
			continue
		}
		r.in.UnreadRune()
		value, err = r.value(0)
		if err == errSkipped {
			continue
		}
		if errors.Is(err, io.EOF) {
			err = errors.New("the file ends within a value: it was cut off")
		}
		return value, line, err
	}
}

// skip passes over what is blank and returns the rune after that.
func (r *ednReader) skip() (rune, error) {
	comment := false
	for {
		c, _, err := r.in.ReadRune()
		if err != nil {
			return 0, err
		}
		switch {
		case c == '\n':
			r.line++
			comment = false
		case comment || c == ',' || unicode.IsSpace(c):
		case c == ';':
			comment = true
		default:
			return c, nil
		}
	}
}

// errSkipped says that a value was discarded.
var errSkipped = errors.New("discarded")

// value reads a value.
func (r *ednReader) value(depth int) (any, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested deeper than %d", maxDepth)
	}
	c, err := r.skip()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		list, err := r.list('}', depth)
		if err != nil {
			return nil, err
		}
		if len(list)%2 != 0 {
			return nil, errors.New("a map has a key without a value")
		}
		m := map[keyword]any{}
		for i := 0; i < len(list); i += 2 {
			if k, ok := list[i].(keyword); ok {
				m[k] = list[i+1]
			}
		}
		return m, nil
	case '[':
		return r.list(']', depth)
	case '(':
		return r.list(')', depth)
	case ']', ')', '}':
		return nil, errClosed
	case '"':
		return r.text()
	case '\\':
		token, err := r.token(0)
		return token, err
	case '#':
		return r.dispatch(depth)
	}
	token, err := r.token(c)
	if err != nil {
		return nil, err
	}
	return atom(token), nil
}

// list reads values up to a closing bracket.
func (r *ednReader) list(end rune, depth int) ([]any, error) {
	list := []any{}
	for {
		c, err := r.skip()
		if err != nil {
			return nil, err
		}
		if c == end {
			return list, nil
		}
		r.in.UnreadRune()
		v, err := r.value(depth + 1)
		if err == errSkipped {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
}

// dispatch reads what follows a number sign: a set, a tag before a value, or a value to
// discard.
func (r *ednReader) dispatch(depth int) (any, error) {
	c, _, err := r.in.ReadRune()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		return r.list('}', depth)
	case '_':
		if _, err := r.value(depth + 1); err != nil && err != errSkipped {
			return nil, err
		}
		return nil, errSkipped
	case '#':
		token, err := r.token(0)
		return atom(token), err
	}
	r.in.UnreadRune()
	if _, err := r.token(0); err != nil {
		return nil, err
	}
	return r.value(depth + 1)
}

func (r *ednReader) text() (string, error) {
	var b strings.Builder
	for b.Len() < maxToken {
		c, _, err := r.in.ReadRune()
		if err != nil {
			return "", err
		}
		switch c {
		case '"':
			return b.String(), nil
		case '\n':
			r.line++
		case '\\':
			if c, _, err = r.in.ReadRune(); err != nil {
				return "", err
			}
			if k := strings.IndexRune("ntr", c); k >= 0 {
				c = rune("\n\t\r"[k])
			}
		}
		b.WriteRune(c)
	}
	return "", fmt.Errorf("a string is longer than %d bytes", maxToken)
}

// token reads up to what ends a token; first is its first rune if that has been read.
func (r *ednReader) token(first rune) (string, error) {
	var b strings.Builder
	if first != 0 {
		b.WriteRune(first)
	}
	for b.Len() < maxToken {
		c, _, err := r.in.ReadRune()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		if unicode.IsSpace(c) || strings.ContainsRune(`,;"[](){}`, c) {
			r.in.UnreadRune()
			return b.String(), nil
		}
		b.WriteRune(c)
	}
	return "", fmt.Errorf("a token is longer than %d bytes", maxToken)
}

// atom is what a token stands for.
func atom(token string) any {
	switch token {
	case "nil":
		return nil
	case "true":
		return true
	case "false":
		return false
	}
	if n, err := strconv.ParseInt(strings.TrimSuffix(token, "N"), 10, 64); err == nil {
		return n
	}
	if f, err := strconv.ParseFloat(strings.TrimSuffix(token, "M"), 64); err == nil {
		return f
	}
	return keyword(strings.TrimPrefix(token, ":"))
}
