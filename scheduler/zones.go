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

// insert returns where the cells of the zone are kept.
func (t *zoneTable) insert(cells []zone.Bound, dim uint16) place {
	bytes := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(cells))), len(cells)*cellSize)
	k := &t.table.keys[t.table.insert(bytes, mix(bytes))]
	return place{k.block, k.offset, dim}
}

// get returns the cells that are kept at a place; they must not be changed. They are
// aligned: a block begins where anything may, and holds nothing but cells.
func (t *zoneTable) get(p place) []zone.Bound {
	n := int(p.dim) * int(p.dim)
	bytes := t.table.bytes.get(p.block, p.offset, n*cellSize)
	return unsafe.Slice((*zone.Bound)(unsafe.Pointer(unsafe.SliceData(bytes))), n)
}
