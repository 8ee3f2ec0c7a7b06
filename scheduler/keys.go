package scheduler

import (
	"fmt"
	"slices"

	"lockstep/model"
	"lockstep/protocol"
)

type storeKey struct{ store, key string }

func (k storeKey) String() string { return k.key }

// key numbers a key: those of the memory of nodes by themselves.
func (l *learner) key(store, key string, at model.Source) (model.KeyID, error) {
	if store == protocol.MemoryName {
		return number(&l.memory, key, model.MaxMemory, " in the memory of a node", at)
	}
	return number(&l.keys, storeKey{store, key}, model.MaxKeys, "", at)
}

// number returns the place of a key among those that are known, of which it becomes one.
// There are at most most, of which an error says where.
func number[K comparable](known *[]K, key K, most int, where string, at model.Source) (model.KeyID, error) {
	i := slices.Index(*known, key)
	if i < 0 {
		if i = len(*known); i == most {
			return 0, &ProtocolError{Err: fmt.Errorf("%s:%d: the protocol uses more than %d keys%s", at.File, at.Line, most, where)}
		}
		*known = append(*known, key)
	}
	return model.KeyID(i), nil
}

// name returns the store and the key of a number, empty for one that is not known.
func (l *learner) name(k model.KeyID) (store, key string) {
	if int(k) >= len(l.keys) {
		return "", ""
	}
	return l.keys[k].store, l.keys[k].key
}

// Store returns the number of the store that a key belongs to.
func (l *learner) Store(k model.KeyID) model.StoreID {
	if int(k) >= len(l.keys) {
		return 0
	}
	return storeID(l.keys[k].store)
}

// storeID numbers the stores; 0 for no name.
func storeID(name string) model.StoreID {
	return model.StoreID(max(0, slices.Index(protocol.StoreNames(), name)))
}
