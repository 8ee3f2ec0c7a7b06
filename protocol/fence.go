package protocol

// SetFenced is a write at a resource that compares fencing tokens: the value is stored
// only if no higher fence has been seen there for the key, and the fence is the highest
// then. It reports whether the write was accepted. What has been seen is under the key
// followed by ":fence": a resource that loses it, by an eviction or with its memory,
// forgets, and accepts what is old.
func (s *Store) SetFenced(key string, v, fence Value) (accepted bool, err error) {
	return Atomic(s, fencedWrite{key, v, fence}, writeFenced)
}

// Announce tells a resource of a fence before anything is written with it, so that whoever
// has a lower one is refused from then on. It reports whether no higher one was seen.
func (s *Store) Announce(key string, fence Value) (highest bool, err error) {
	return Atomic(s, fencedWrite{Key: key, Fence: fence}, announceFence)
}

type fencedWrite struct {
	Key          string
	Value, Fence Value
}

func announceFence(v *View, w fencedWrite) bool {
	if seen, ok := v.Get(w.Key + ":fence"); ok && Older(w.Fence, seen) {
		return false
	}
	v.Set(w.Key+":fence", w.Fence)
	return true
}

func writeFenced(v *View, w fencedWrite) bool {
	if !announceFence(v, w) {
		return false
	}
	v.Set(w.Key, w.Value, v.ValueTTL())
	return true
}
