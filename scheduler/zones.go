package scheduler

import (
	"math/bits"
	"slices"

	"lockstep/model/zone"
)

// zoneTable keeps each different zone once. Many states differ in their discrete
// parts alone, so there are far fewer zones than states.
type zoneTable struct {
	slots []uint32 // index into zones+1, 0 for none
	zones []zoneRecord
	cells arena[zone.Bound]
}

type zoneRecord struct {
	hash uint64
	place
}

// place is where the cells of a zone are.
type place struct {
	block, offset uint32
	dim           uint16
}

func newZoneTable() *zoneTable { return &zoneTable{slots: make([]uint32, 1<<8)} }

// insert returns where the cells of the zone are kept.
func (t *zoneTable) insert(cells []zone.Bound, dim uint16) place {
	if len(t.zones)*2 >= len(t.slots) {
		t.grow()
	}
	hash := mixBounds(cells)
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == 0 {
			block, offset := t.cells.put(cells)
			z := zoneRecord{hash, place{block, offset, dim}}
			t.zones = append(t.zones, z)
			t.slots[i] = uint32(len(t.zones))
			return z.place
		}
		if z := &t.zones[n-1]; z.hash == hash && z.dim == dim && slices.Equal(t.get(z.place), cells) {
			return z.place
		}
	}
}

// get returns the cells that are kept at a place; they must not be changed.
func (t *zoneTable) get(p place) []zone.Bound {
	return t.cells.get(p.block, p.offset, int(p.dim)*int(p.dim))
}

func (t *zoneTable) grow() {
	t.slots = make([]uint32, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for n := range t.zones {
		i := t.zones[n].hash & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = uint32(n + 1)
	}
}

// memory is what the table takes, in bytes.
func (t *zoneTable) memory() int64 {
	return int64(len(t.slots))*4 + int64(cap(t.zones))*24 + t.cells.size*4
}

// mixBounds hashes like mix.
func mixBounds(cells []zone.Bound) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03
	h := uint64(len(cells)) * k0
	for len(cells) >= 2 {
		hi, lo := bits.Mul64(h^uint64(uint32(cells[0]))^uint64(uint32(cells[1]))<<32, k1)
		h = hi ^ lo
		cells = cells[2:]
	}
	if len(cells) == 1 {
		h ^= uint64(uint32(cells[0]))
	}
	hi, lo := bits.Mul64(h^k0, k1)
	return hi ^ lo
}
