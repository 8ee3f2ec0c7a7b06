package incident

// limits are how much is followed at a time, so that logs of any length are audited in constant
// memory. What is left out is counted.
type limits struct {
	// keys are those of the store, and locks those of them that are locks; waiting is how many
	// who ask for one.
	keys, locks, waiting int
	// kept is how many clients, tokens and requests are known: those that came first are
	// forgotten.
	kept int
	// values are those of which versions and rebuilds are followed.
	values int
}

func usualLimits() limits {
	return limits{keys: 1 << 16, locks: 1 << 14, waiting: 1 << 10, kept: 1 << 15, values: 1 << 14}
}

// kept is a map that forgets what was first put into it when there is too much.
type kept[K comparable, V any] struct {
	values    map[K]V
	order     []K
	most      int
	forgotten int
}

func newKept[K comparable, V any](most int) *kept[K, V] {
	return &kept[K, V]{values: map[K]V{}, most: most}
}

func (k *kept[K, V]) get(key K) (V, bool) {
	v, ok := k.values[key]
	return v, ok
}

func (k *kept[K, V]) set(key K, v V) {
	if _, known := k.values[key]; !known {
		k.order = append(k.order, key)
	}
	k.values[key] = v
	if len(k.order) <= k.most {
		return
	}
	half := (k.most + 1) / 2
	for _, old := range k.order[:half] {
		delete(k.values, old)
	}
	k.forgotten += half
	k.order = append(make([]K, 0, k.most+1), k.order[half:]...)
}
