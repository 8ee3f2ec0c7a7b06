package scheduler

import "unsafe"

// blockBits is the logarithm of how many items a block of blocks has.
const blockBits = 10

// blocks is a list that only grows. What is in it never moves, and to grow it copies
// nothing.
type blocks[T any] struct {
	list   []*[1 << blockBits]T
	length int
}

func (b *blocks[T]) len() int { return b.length }

// at returns the i-th item, from 0.
func (b *blocks[T]) at(i uint32) *T { return &b.list[i>>blockBits][i&(1<<blockBits-1)] }

// add appends an item and returns where it is.
func (b *blocks[T]) add(item T) *T {
	if b.length == len(b.list)<<blockBits {
		b.list = append(b.list, new([1 << blockBits]T))
	}
	at := b.at(uint32(b.length))
	*at = item
	b.length++
	return at
}

// memory is how many bytes the list takes.
func (b *blocks[T]) memory() int64 {
	var item T
	return int64(len(b.list)) << blockBits * int64(unsafe.Sizeof(item))
}
