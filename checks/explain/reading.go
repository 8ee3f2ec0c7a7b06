package explain

import (
	"cmp"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"time"

	"lockstep/checks/incident"
	"lockstep/model"
	"lockstep/scheduler"
)

// Settings are what is known besides the log.
type Settings struct {
	// Scenario has the protocol, with the parameters that are known, the latency and the faults
	// that may be inferred. Its nodes, requests and updates are those of the log.
	Scenario scheduler.Scenario
	// Given are the parameters that are known, and "value-ttl", "updates" and "requests" (how many
	// there can be at once on a node) if those are: they are not read from the log.
	Given map[string]bool
	// Lock, Value and Source are the keys of the log for the lock, the cached value and the version
	// of the source, empty to find out; the source can be NoSource. Keys are those of the log for
	// further keys of the protocol, by its own name with or without the store, as cache/feed. A
	// key that is not in the first database has its database before it, as db1:feed.
	Lock, Value, Source string
	Keys                map[string]string
	// Nodes has the number of the node for clients of which it is known.
	Nodes map[string]int
	// Tolerance is by how much the times of a run may differ from those of the log.
	Tolerance time.Duration
	// MaxFaults is how many faults are inferred at most.
	MaxFaults int
}

// NoSource says that the log does not show the version of the source.
const NoSource = "none"

// MaxLength is how long a log may be that is explained.
const MaxLength = 7 * 24 * time.Hour

// DefaultTolerance is that of [Settings] that have none: what a busy machine adds to a wait.
const DefaultTolerance = 20 * time.Millisecond

// Reading is what a log is about.
type Reading struct {
	Lock, Value, Source string
	Nodes               []Node
	// LeftOut are clients that do nothing but look at the lock, as tools do.
	LeftOut []Node
	// Parameters are what was read from the log.
	Parameters []Parameter
	// Scenario is the one to be explored.
	Scenario scheduler.Scenario
	// Commands is how many commands matter, Begin and End are when the first and the last command of
	// the log were, and Back is how often the clock of the server has stepped back.
	Commands   int
	Begin, End time.Time
	Back       int

	settings Settings
	actions  []*action
	updates  map[string]bool // clients that change the source
	// names are those that nodes have in the log, by that which they have here.
	names map[string]string
	// plainReads: the log shows what a script reads, even if it changes nothing.
	plainReads bool
}

// Node is a node of the log.
type Node struct {
	Name     string   `json:"name"`
	Clients  []string `json:"clients"`
	Commands int      `json:"commands"`
}

// Parameter is what was read from the log.
type Parameter struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// Why says from what.
	Why string `json:"why"`
}

// Read finds out what the commands of a log are about. An error says what must be given.
func Read(r incident.Reader, s Settings) (*Reading, error) {
	log, err := readActions(r)
	if err != nil {
		return nil, err
	}
	if s.Tolerance == 0 {
		s.Tolerance = DefaultTolerance
	}
	b := &Reading{
		Scenario: s.Scenario, settings: s, Lock: s.Lock, Value: s.Value, Source: s.Source, Begin: log.first, End: log.last, Back: log.back,
		plainReads: !slices.ContainsFunc(log.all, func(a *action) bool { return strings.HasPrefix(a.client, "n0/") }),
	}
	if err := b.findKeys(log.all); err != nil {
		return nil, err
	}
	b.keep(log.all)
	if len(b.actions) == 0 {
		return nil, fmt.Errorf("the log has no command about %s: say with --lock and --value which keys of the log it is about", strings.Join(b.keyNames(), ", "))
	}
	if long := b.End.Sub(b.Begin); long > MaxLength {
		return nil, fmt.Errorf("the log lasts for %s: at most %s can be explained at once; take a part of it", model.FormatDuration(long), model.FormatDuration(MaxLength))
	}
	if err := b.findNodes(); err != nil {
		return nil, err
	}
	return b, b.findParameters()
}

// findKeys finds out which key is the lock, which the value, and which the version of the source.
func (b *Reading) findKeys(all []*action) error {
	if b.Lock == "" {
		asked := map[string]int{}
		for _, a := range all {
			for _, e := range a.effects {
				if e.Kind == incident.Sets && e.Absent {
					asked[e.Key]++
				}
			}
		}
		switch names := byCount(asked); len(names) {
		case 0:
		case 1:
			b.Lock = names[0]
		default:
			return fmt.Errorf("the log has %d keys that are set with NX: say with --lock which is meant, one of %s", len(names), few(names))
		}
	}
	u := b.usesOf(all)
	if b.Value == "" {
		names := byCount(u.set)
		if len(names) == 0 {
			names = byCount(u.before)
		}
		if len(names) > 1 {
			return fmt.Errorf("the log has %d keys that may be the cached value: say with --value which is meant, one of %s", len(names), few(names))
		}
		if len(names) == 1 {
			b.Value = names[0]
		}
	}
	switch b.Source {
	case NoSource:
		b.Source = ""
	case "":
		for _, key := range byCount(u.after) {
			if key != b.Value && u.set[key] == 0 && u.before[key] == 0 {
				b.Source = key
				break
			}
		}
	}
	return nil
}

// uses are how often keys other than the lock are used by clients that use it: set, read just
// before it is asked for, or just after.
type uses struct{ set, before, after map[string]int }

func (b *Reading) usesOf(all []*action) *uses {
	askers := map[string]bool{}
	host := sameHosts(all)
	for _, a := range all {
		if slices.ContainsFunc(a.effects, func(e incident.Effect) bool { return e.Key == b.Lock }) {
			askers[host[a.client]] = true
		}
	}
	u := &uses{map[string]int{}, map[string]int{}, map[string]int{}}
	// reading is the key that a client has read last, asking says that it has just asked for the
	// lock.
	reading, asking := map[string]string{}, map[string]bool{}
	for _, a := range all {
		who := host[a.client]
		if !askers[who] && b.Lock != "" {
			continue
		}
		asks := slices.ContainsFunc(a.effects, func(e incident.Effect) bool { return e.Key == b.Lock && e.Kind == incident.Sets })
		e := a.sole()
		switch {
		case asks && reading[who] != "":
			u.before[reading[who]]++
		case e == nil:
		case e.Kind == incident.Sets && e.Key != b.Lock:
			u.set[e.Key]++
		case e.Kind == incident.Reads && asking[who]:
			u.after[e.Key]++
		}
		reading[who], asking[who] = "", asks
		if e != nil && e.Kind == incident.Reads && e.Key != b.Lock {
			reading[who] = e.Key
		}
	}
	return u
}

func (b *Reading) keyNames() []string {
	var names []string
	for _, key := range []string{b.Lock, b.Value, b.Source} {
		if key != "" {
			names = append(names, key)
		}
	}
	return names
}

// keep keeps the actions that matter.
func (b *Reading) keep(all []*action) {
	keys := map[string]bool{}
	for _, key := range b.keyNames() {
		keys[key] = true
	}
	for _, key := range b.settings.Keys {
		keys[key] = true
	}
	b.updates = map[string]bool{}
	acts := map[string]bool{}
	for _, a := range all {
		e := a.sole()
		acts[a.client] = acts[a.client] || a.touches(keys) && (e == nil || e.Key != b.Lock || e.Kind != incident.Reads && e.Kind != incident.Asks)
	}
	for _, a := range all {
		if !a.touches(keys) {
			continue
		}
		if !acts[a.client] {
			b.leaveOut(a)
			continue
		}
		b.actions = append(b.actions, a)
		b.updates[a.client] = true
	}
	for _, a := range b.actions {
		if updater.MatchString(a.node) {
			continue
		}
		if e := a.sole(); e == nil || e.Key != b.Source || e.Kind != incident.Sets && e.Kind != incident.Counts {
			b.updates[a.client] = false
		}
	}
	b.Commands = len(b.actions)
}

// leaveOut counts a command that does not matter.
func (b *Reading) leaveOut(a *action) {
	i := slices.IndexFunc(b.LeftOut, func(n Node) bool { return n.Clients[0] == a.client })
	if i < 0 {
		i = len(b.LeftOut)
		b.LeftOut = append(b.LeftOut, Node{Name: a.node, Clients: []string{a.client}})
	}
	b.LeftOut[i].Commands++
}

// updater is the name that a trace gives to the node of an update.
var updater = regexp.MustCompile(`^u[0-9]+$`)

// findNodes finds out which client is which node: clients that use one token are, unless the token
// tells nobody apart.
func (b *Reading) findNodes() error {
	same := b.sameNodes()
	for n := range b.settings.nodes() {
		b.Nodes = append(b.Nodes, Node{Name: fmt.Sprintf("n%d", n)})
	}
	numbers := map[string]int{} // by what is known of the client
	for _, a := range b.actions {
		if b.updates[a.client] {
			continue
		}
		name := a.node
		if name == "" {
			name = "client " + same[a.client]
		}
		n, known := b.settings.Nodes[a.client]
		if !known {
			if n, known = numbers[name]; !known {
				n = len(b.Nodes)
				b.Nodes = append(b.Nodes, Node{Name: a.node})
			}
		}
		numbers[name] = n
		node := &b.Nodes[n]
		node.Commands++
		if !slices.Contains(node.Clients, a.client) {
			node.Clients = append(node.Clients, a.client)
		}
	}
	if len(b.Nodes) > scheduler.MaxNodes {
		return fmt.Errorf("the log has %d clients that use %s: at most %d nodes can be told apart; say which clients are one node, as with --node n0=127.0.0.1:4711,127.0.0.1:4712", len(b.Nodes), few(b.keyNames()), scheduler.MaxNodes)
	}
	b.names = map[string]string{}
	for i := range b.Nodes {
		name := fmt.Sprintf("n%d", i)
		if given := b.Nodes[i].Name; given != "" && given != name {
			b.names[name] = given
		}
		b.Nodes[i].Name = name
	}
	return nil
}

// nodes is how many nodes are named.
func (s *Settings) nodes() int {
	n := 0
	for _, number := range s.Nodes {
		n = max(n, number+1)
	}
	return n
}

// sameHosts returns for each client the first one of its host, or itself if all are of one host.
func sameHosts(all []*action) map[string]string {
	same, first := map[string]string{}, map[string]string{}
	hostOf := func(client string) string {
		host, _, err := net.SplitHostPort(client)
		if err != nil {
			return client
		}
		return host
	}
	for _, a := range all {
		host := hostOf(a.client)
		if first[host] == "" {
			first[host] = a.client
		}
		same[a.client] = a.client
	}
	if len(first) > 1 {
		for client := range same {
			same[client] = first[hostOf(client)]
		}
	}
	return same
}

// sameNodes returns for each client one of those that are the same node: the first.
func (b *Reading) sameNodes() map[string]string {
	type use struct {
		client      string
		first, last int
		asks        bool
	}
	uses := map[string][]*use{} // by token
	var tokens []string
	note := func(token, client string, at int, asks bool) {
		k := slices.IndexFunc(uses[token], func(u *use) bool { return u.client == client })
		if k < 0 {
			if len(uses[token]) == 0 {
				tokens = append(tokens, token)
			}
			k = len(uses[token])
			uses[token] = append(uses[token], &use{client: client, first: at})
		}
		u := uses[token][k]
		u.last, u.asks = at, u.asks || asks
	}
	same := sameHosts(b.actions)
	for i, a := range b.actions {
		if e := a.sole(); e != nil && e.Key == b.Lock && e.Kind == incident.Sets {
			note(e.Value, a.client, i, true)
		}
		for _, argument := range a.arguments {
			if _, asked := uses[argument]; asked {
				note(argument, a.client, i, false)
			}
		}
	}
	for _, token := range tokens {
		unique := true
		for i, u := range uses[token] {
			for _, other := range uses[token][:i] {
				unique = unique && !(u.asks && other.asks && u.first < other.last && other.first < u.last)
			}
		}
		if !unique {
			continue
		}
		to := same[uses[token][0].client]
		for _, u := range uses[token][1:] {
			from := same[u.client]
			for client, now := range same {
				if now == from {
					same[client] = to
				}
			}
		}
	}
	return same
}

// node returns the number of the node of an action, -1 for an update.
func (b *Reading) node(a *action) int {
	if b.updates[a.client] {
		return -1
	}
	return slices.IndexFunc(b.Nodes, func(n Node) bool { return slices.Contains(n.Clients, a.client) })
}

// byCount returns names, those that are counted most often first.
func byCount(counts map[string]int) []string {
	var names []string
	for name := range counts {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return names
}

// few is a list of the first few names.
func few(names []string) string {
	const most = 5
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}
