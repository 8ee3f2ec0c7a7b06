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
		return l.memoryKey(key, at)
	}
	k := storeKey{store, key}
	if i := slices.Index(l.keys, k); i >= 0 {
		return model.KeyID(i), nil
	}
	if len(l.keys) == model.MaxKeys {
		return 0, &ProtocolError{Err: fmt.Errorf("%s:%d: the protocol uses more than %d keys", at.File, at.Line, model.MaxKeys)}
	}
	l.keys = append(l.keys, k)
	return model.KeyID(len(l.keys) - 1), nil
}

func (l *learner) memoryKey(key string, at model.Source) (model.KeyID, error) {
	if i := slices.Index(l.memory, key); i >= 0 {
		return model.KeyID(i), nil
	}
	if len(l.memory) == model.MaxMemory {
		return 0, &ProtocolError{Err: fmt.Errorf("%s:%d: the protocol uses more than %d keys in the memory of a node", at.File, at.Line, model.MaxMemory)}
	}
	l.memory = append(l.memory, key)
	return model.KeyID(len(l.memory) - 1), nil
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
