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

func newNames(l limits) *names {
	return &names{holders: newKept[string, name](l.kept), keys: newKept[string, string](l.kept)}
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
