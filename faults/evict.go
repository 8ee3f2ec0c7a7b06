package faults

import "lockstep/model"

// Evict returns the fault by which a store evicts a key, at most times times in a run:
// any key, a lock as well as a cached value, TTL or not.
//
// In the world it stands for a store that is full and makes room (maxmemory with an
// allkeys policy, memcached's LRU).
func Evict(times int) model.Fault {
	return removal{counted{"evict", times, model.OnKey}, "is evicted"}
}
