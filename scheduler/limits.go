package scheduler

import (
	"unsafe"

	"lockstep/model"
	"lockstep/model/zone"
)

// limits are what the clocks of a state are compared with.
type limits struct {
	// upper are the bounds that they may not exceed as time passes. No clock has the number
	// 0: there it says whether time may pass, which is no bound if so.
	upper []zone.Bound
	// lower and above are the largest constants; see [model.Rules.Constants].
	lower, above []zone.Bound
}

// limitTable keeps limits for each discrete part of a state. It decides them, but for what
// the outlook may change in the constants; it has those of the outlook that was met
// first. Many have the same, which are kept once.
type limitTable struct {
	vectors *table
	entries blocks[limitEntry]
}

// limitEntry is for the discrete part of its own number.
type limitEntry struct {
	vector  uint32
	outlook model.Outlook
}

// put notes the limits of the discrete part with the number, if it is new.
func (t *limitTable) put(number uint32, of *target) {
	if int(number) < t.entries.len() {
		return
	}
	bytes := bytesOf(of.vector)
	t.entries.add(limitEntry{t.vectors.insert(bytes, mix(bytes)), of.outlook})
}

// get returns the limits of the discrete part with the number, which must not be changed,
// and the outlook that its constants are for.
func (t *limitTable) get(number uint32) (limits, model.Outlook) {
	entry := t.entries.at(number)
	bytes := t.vectors.key(entry.vector)
	// They are aligned, as zones are.
	return limitsOf(unsafe.Slice((*zone.Bound)(unsafe.Pointer(unsafe.SliceData(bytes))), len(bytes)/cellSize)), entry.outlook
}

// limitsOf returns the parts of a vector that has one after the other.
func limitsOf(vector []zone.Bound) limits {
	dim := len(vector) / 3
	return limits{upper: vector[:dim:dim], lower: vector[dim : 2*dim : 2*dim], above: vector[2*dim:]}
}

// limit finds the limits of the state to: those that are kept, as far as they are.
func (t *target) limit(e *expander, dim int) {
	t.outlook = e.rules.Outlook(&e.to)
	if t.known {
		var met model.Outlook
		if t.limits, met = e.search.limits.get(t.number); met == t.outlook {
			t.own = false
			return
		}
	}
	t.own, t.vector = true, grow(t.vector, 3*dim)
	own := limitsOf(t.vector)
	if !t.known {
		t.upper = own.upper
		e.invariants(t.upper)
	}
	t.lower, t.above = own.lower, own.above
	e.constants(t.outlook, t.lower, t.above)
}

func (t *limitTable) memory() int64 { return t.vectors.memory() + t.entries.memory() }
