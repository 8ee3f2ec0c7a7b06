package linearize

import (
	"cmp"
	"hash/fnv"
	"reflect"
	"sync"

	"github.com/anishathalye/porcupine"
)

// value is a state, an input or an output. There is one of each that is printed alike, and
// its hash is that of the text, so that it is the same in every search.
type value struct {
	is   any
	text string
	hash uint64
}

// compare orders values, nil first.
func (v *value) compare(w *value) int {
	switch {
	case v == w:
		return 0
	case v == nil:
		return -1
	case w == nil:
		return 1
	}
	return cmp.Or(cmp.Compare(v.hash, w.hash), cmp.Compare(v.text, w.text))
}

// values are all that have been seen: states apart from inputs and outputs, which are told
// apart in another way.
type values struct {
	describe       func(state any) string
	equal          func(state, other any) bool
	states, others table
}

// table finds a value, by itself if it can be compared, and by its text.
type table struct {
	bySelf map[any]*value
	byText map[string]*value
}

func newTable() table { return table{map[any]*value{}, map[string]*value{}} }

func newValues(m porcupine.Model) values {
	v := values{describe: m.DescribeState, equal: m.Equal, states: newTable(), others: newTable()}
	if v.describe == nil {
		v.describe = text
	}
	return v
}

// known returns the value that is an input or output, nil if it has not been seen.
func (v *values) known(is any) *value { return v.others.find(is) }

// of returns the value that is an input or output.
func (v *values) of(is any) *value { return v.others.add(is, text) }

// state returns the value that is a state.
func (v *values) state(is any) *value {
	s := v.states.add(is, v.describe)
	if v.equal != nil && !v.equal(s.is, is) || v.equal == nil && isKey(is) && s.is != is {
		panic(collision)
	}
	return s
}

func (t *table) find(is any) *value {
	if !isKey(is) {
		return t.byText[text(is)]
	}
	return t.bySelf[is]
}

func (t *table) add(is any, text func(any) string) *value {
	simple := isKey(is)
	if simple {
		if v := t.bySelf[is]; v != nil {
			return v
		}
	}
	words := text(is)
	v := t.byText[words]
	if v == nil {
		v = &value{is, words, hashOf(words)}
		t.byText[words] = v
	}
	if simple {
		t.bySelf[is] = v
	}
	return v
}

// isKey reports whether a value can be the key of a map, whatever it has in it.
func isKey(is any) bool {
	if is == nil {
		return true
	}
	t := reflect.TypeOf(is)
	if known, ok := keys.Load(t); ok {
		return known.(bool)
	}
	plain := isPlain(t)
	keys.Store(t, plain)
	return plain
}

// keys has what isKey has found out.
var keys sync.Map

func isPlain(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for f := range t.Fields() {
			if !isPlain(f.Type) {
				return false
			}
		}
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Interface:
		return false
	}
	return t.Comparable()
}

// hash is one under way.
type hash uint64

const seed hash = 0x9e3779b97f4a7c15

// with mixes a word in, as splitmix64 does (Steele, Lea, Flood, OOPSLA 2014).
func (h hash) with(word uint64) hash {
	h = (h ^ hash(word)) + seed
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
