package incident

import "strings"

// name is who a holder or a client is, as far as a log of the application says.
type name struct{ node, request string }

// anonymous is who nothing is known of.
var anonymous = name{}

// String is the request, with its node if that is not obvious.
func (n name) String() string {
	switch {
	case n.request == "":
		return n.node
	case n.node == "" || strings.HasPrefix(n.request, n.node):
		return n.request
	}
	return n.node + " (" + n.request + ")"
}

// names are who holds tokens, and what keys tokens are of.
type names struct {
	holders *kept[string, name]
	// keys are the locks that were asked for with a token, "" for several.
	keys *kept[string, string]
}

func newNames() *names {
	return &names{holders: newKept[string, name](), keys: newKept[string, string]()}
}

// asked notes that a lock was asked for with a token.
func (n *names) asked(key, token string) {
	if earlier, known := n.keys.get(token); known && earlier != key {
		key = ""
	}
	n.keys.set(token, key)
}

// of names a holder: as its token and its connection if no log says who it is.
func (n *names) of(token, client string) string {
	holder, known := n.holders.get(token)
	if !known || holder == anonymous {
		return token + " (" + client + ")"
	}
	return holder.String() + " (token " + token + ")"
}

// kept is a map that forgets what was first put into it when there is too much.
type kept[K comparable, V any] struct {
	values    map[K]V
	order     []K
	forgotten int
}

// maxKept is how many clients, tokens and requests are known at a time.
const maxKept = 1 << 15

func newKept[K comparable, V any]() *kept[K, V] { return &kept[K, V]{values: map[K]V{}} }

func (k *kept[K, V]) get(key K) (V, bool) {
	v, ok := k.values[key]
	return v, ok
}

func (k *kept[K, V]) set(key K, v V) {
	if _, known := k.values[key]; !known {
		k.order = append(k.order, key)
	}
	k.values[key] = v
	if len(k.order) <= maxKept {
		return
	}
	for _, old := range k.order[:maxKept/2] {
		if _, known := k.values[old]; known {
			delete(k.values, old)
			k.forgotten++
		}
	}
	k.order = append(make([]K, 0, maxKept+1), k.order[maxKept/2:]...)
}

// remove takes a key away. Its place in the order stays: it is forgotten with it.
func (k *kept[K, V]) remove(key K) { delete(k.values, key) }
