package scheduler

import (
	"unsafe"

	"lockstep/model/zone"
)

// zoneTable keeps each different zone once. Many states differ in their discrete
// parts alone, so there are far fewer zones than states.
type zoneTable struct{ table *table }

// place is where the cells of a zone are.
type place struct {
	block, offset uint32
	dim           uint16
}

const cellSize = int(unsafe.Sizeof(zone.Bound(0)))

// lookup notes where the zone of the state is kept if it is.
func (t *zoneTable) lookup(of *target) {
	bytes := bytesOf(of.cells)
	of.zoneHash = mix(bytes)
	number, known := t.table.lookup(bytes, of.zoneHash)
	of.zoneKnown = known
	if known {
		of.zone = t.place(number, of.dim)
	}
}

// insert returns where the zone of the state is kept, after lookup.
func (t *zoneTable) insert(of *target) place {
	if of.zoneKnown {
		return of.zone
	}
	return t.place(t.table.insert(bytesOf(of.cells), of.zoneHash), of.dim)
}

func (t *zoneTable) place(number uint32, dim uint16) place {
	k := t.table.keys.at(number)
	return place{k.block, k.offset, dim}
}

func bytesOf(cells []zone.Bound) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells)*cellSize)
}

// get returns the cells that are kept at a place; they must not be changed. They are
// aligned: a block begins where anything may, and holds nothing but cells.
func (t *zoneTable) get(p place) []zone.Bound {
	n := int(p.dim) * int(p.dim)
	bytes := t.table.bytes.get(p.block, p.offset, n*cellSize)
	return unsafe.Slice((*zone.Bound)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
}
