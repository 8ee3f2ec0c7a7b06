package scheduler

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// arena keeps variable-length records in blocks that never move.
type arena[T any] struct {
	blocks [][]T
	size   int64
}

const blockLength = 1 << 16

// put copies the record and returns where it is.
func (a *arena[T]) put(record []T) (block, offset uint32) {
	last := len(a.blocks) - 1
	if last < 0 || len(a.blocks[last])+len(record) > cap(a.blocks[last]) {
		a.blocks = append(a.blocks, make([]T, 0, max(blockLength, len(record))))
		a.size += int64(max(blockLength, len(record)))
		last++
	}
	offset = uint32(len(a.blocks[last]))
	a.blocks[last] = append(a.blocks[last], record...)
	return uint32(last), offset
}

func (a *arena[T]) get(block, offset uint32, length int) []T {
	return a.blocks[block][offset : int(offset)+length]
}

// table gives each different byte string a number, from 0 in the order of
// arrival. It compares whole strings: no two are ever taken for one.
type table struct {
	slots []slot
	keys  blocks[keyRecord]
	bytes arena[byte]
}

// slot has the upper half of the hash of a string, so that most others are told apart
// without a look at them, and below that its number+1; 0 for none.
type slot uint64

const tagMask = 1<<64 - 1<<32

type keyRecord struct {
	hash          uint64
	block, offset uint32
	length        uint32
	// head is the last stored state with this key, +1.
	head uint32
}

func newTable() *table { return &table{slots: make([]slot, 1<<12)} }

// lookup returns the number of the string, whose hash is given, if it has one.
func (t *table) lookup(key []byte, hash uint64) (number uint32, known bool) {
	mask := uint64(len(t.slots) - 1)
	for i := hash & mask; ; i = (i + 1) & mask {
		n := t.slots[i]
		if n == 0 {
			return uint32(i), false
		}
		if uint64(n)&tagMask != hash&tagMask {
			continue
		}
		number := uint32(n) - 1
		if k := t.keys.at(number); k.hash == hash && bytes.Equal(t.bytes.get(k.block, k.offset, int(k.length)), key) {
			return number, true
		}
	}
}

// insert returns the number of the string, whose hash is given. It is added if it is
// new.
func (t *table) insert(key []byte, hash uint64) (number uint32) {
	if t.keys.len()*4 >= len(t.slots)*3 {
		t.grow()
	}
	at, known := t.lookup(key, hash)
	if known {
		return at
	}
	block, offset := t.bytes.put(key)
	t.keys.add(keyRecord{hash: hash, block: block, offset: offset, length: uint32(len(key))})
	number = uint32(t.keys.len() - 1)
	t.slots[at] = slotOf(hash, number)
	return number
}

func slotOf(hash uint64, number uint32) slot { return slot(hash&tagMask | uint64(number+1)) }

func (t *table) key(number uint32) []byte {
	k := t.keys.at(number)
	return t.bytes.get(k.block, k.offset, int(k.length))
}

func (t *table) grow() {
	t.slots = make([]slot, 2*len(t.slots))
	mask := uint64(len(t.slots) - 1)
	for n := range uint32(t.keys.len()) {
		hash := t.keys.at(n).hash
		i := hash & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = slotOf(hash, n)
	}
}

func (t *table) memory() int64 {
	return int64(len(t.slots))*8 + t.keys.memory() + t.bytes.size
}

// mix hashes bytes, eight at a time, by multiply-and-fold. It decides nothing
// but where a string is looked for.
func mix(b []byte) uint64 {
	const k0, k1 = 0x9e3779b97f4a7c15, 0xd1b54a32d192ed03
	h := uint64(len(b)) * k0
	for len(b) >= 8 {
		hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(b), k1)
		h = hi ^ lo
		b = b[8:]
	}
	var last [8]byte
	copy(last[:], b)
	hi, lo := bits.Mul64(h^binary.LittleEndian.Uint64(last[:])^k0, k1)
	return hi ^ lo
}
