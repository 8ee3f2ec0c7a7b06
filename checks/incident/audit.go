package incident

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

// storm is how many refused attempts within a second are a storm.
const storm = 100

// silent is how long an owner has to do nothing to be called silent, and patience how many
// attempts of others there must have been since.
const (
	silent   = time.Second
	patience = 3
)

// AuditOptions say how events are audited.
type AuditOptions struct {
	// Skew is by how much the clocks of two nodes may differ at most. What their events prove
	// only if they differ by less is not found. It is 0 where one clock has written all.
	Skew time.Duration
	// Steps: the lines are the steps of a trace.
	Steps bool
}

// DefaultSkew is for nodes whose clocks are kept by NTP.
const DefaultSkew = 100 * time.Millisecond

// auditor follows what happens.
type auditor struct {
	options AuditOptions
	limits  limits
	keys    *keyspace
	clients *kept[string, *client]
	// locks are the keys that are asked for with NX and are taken for locks.
	locks  map[string]*attempts
	tokens *kept[of, *holding]
	// shared are tokens with which several clients were granted a lock: they tell nobody
	// apart.
	shared *kept[of, bool]
	// polled are keys that were read as values before they were asked for.
	polled  *kept[string, bool]
	rebuilt map[string]*rebuilds // by key
	names   *names
	beliefs *beliefs
	result  *Result
	now     time.Time
	// here is the place of the event that is taken, and commanded says that it is a command.
	here      place
	commanded bool
	// seen are the clients that were counted.
	seen map[string]bool
	// full is how many locks are passed over before room is looked for, and lost how many were
	// forgotten.
	full, lost int
}

// of is a token of a lock.
type of struct{ key, token string }

// Audit reads commands to their end and reports what they prove. An error is one of the input.
func Audit(commands Reader) (*Result, error) {
	r, err := AuditEvents(eventsOf{commands}, AuditOptions{})
	if m, ok := commands.(*Monitor); ok && err == nil {
		r.Back, r.Bad = m.Back, m.Bad
	}
	return r, err
}

type eventsOf struct{ commands Reader }

// Next returns the next command as an event.
func (r eventsOf) Next() (*Event, error) {
	c, err := r.commands.Next()
	if err != nil {
		return nil, err
	}
	return eventOf(c), nil
}

// AuditLogs reads logs to their end and reports what they prove together. They are of one
// incident, and of one server.
func AuditLogs(o AuditOptions, logs ...*Log) (*Result, error) {
	r, err := AuditEvents(Merge(logs...), o)
	if err == nil {
		r.Back, r.Bad = BackOf(logs), *BadOf(logs)
	}
	return r, err
}

// AuditEvents reads events to their end, in the order of their times, and reports what they
// prove. An error is one of the input.
func AuditEvents(events EventReader, o AuditOptions) (*Result, error) {
	return auditEvents(events, o, usualLimits())
}

func auditEvents(events EventReader, o AuditOptions, l limits) (*Result, error) {
	r := &Result{Locks: []string{}, Findings: []Finding{}, Doubts: []Doubt{}}
	a := &auditor{
		options: o, limits: l, keys: newKeyspace(l.keys), clients: newKept[string, *client](l.kept), locks: map[string]*attempts{},
		tokens: newKept[of, *holding](l.kept), shared: newKept[of, bool](l.kept), polled: newKept[string, bool](l.kept), rebuilt: map[string]*rebuilds{}, names: newNames(l),
		result: r, seen: map[string]bool{},
	}
	a.beliefs = newBeliefs(a)
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		a.here = place{number: a.here.number + 1, Place: Place{e.File, e.Line}, step: o.Steps}
		a.keys.now = a.here.number
		if a.here.number == 1 {
			r.First = e.Time
		}
		// Where the clock has stepped back, the order of the lines counts.
		if e.Time.After(a.now) {
			a.now = e.Time
		}
		if a.commanded = e.Command != nil; !a.commanded {
			a.beliefs.take(e)
			continue
		}
		c := *e.Command
		c.Time = a.now
		a.command(&c)
	}
	a.commanded = true
	a.end()
	return r, nil
}

// command takes a command into account.
func (a *auditor) command(c *Command) {
	a.result.Commands++
	if !a.seen[c.Client] {
		if len(a.seen) < a.limits.keys {
			a.seen[c.Client] = true
			a.result.Clients++
		} else {
			a.result.ClientsAtLeast = true
		}
	}
	id := c.Client
	if c.Request != "" {
		id = c.Request
	}
	by, known := a.clients.get(id)
	if !known {
		by = newClient(c.Client)
		a.clients.set(id, by)
	}
	if c.Node != "" || c.Request != "" {
		by.name = name{c.Node, c.Request}
	}
	// What was released, on this connection or on another, is not the lock of what it does now.
	by.holdings = slices.DeleteFunc(by.holdings, func(h *holding) bool { return h.released })
	for _, h := range by.holdings {
		h.seen, h.seenAt = a.here, a.now
	}
	a.take(c, by)
}

// key is the name of a key among those of all databases.
func (c *Command) key(key string) string {
	if c.DB == 0 {
		return key
	}
	return fmt.Sprintf("%s in database %d", key, c.DB)
}

// take takes a command of a client into account.
func (a *auditor) take(c *Command, by *client) {
	if s, ok := settingOf(c); ok {
		a.set(c, by, s)
		return
	}
	if key, expires, ok := expiryOf(c); ok {
		a.renew(c, by, key, expires)
		return
	}
	if e, ok := effectOf(c); ok {
		a.effect(c, by, e)
		return
	}
	switch c.Name {
	case "eval", "evalsha":
		a.script(c, by)
	case "del", "unlink", "getdel":
		for _, key := range c.Args {
			a.remove(c, by, c.key(key))
		}
	case "flushdb", "flushall":
		a.flush(c)
	case "hello", "auth", "reset", "quit":
		// Another connection has the address, or the same begins anew.
		by.holdings, by.pending, by.read = nil, nil, nil
		clear(by.tokens)
		clear(by.tried)
	case "ttl", "pttl", "exists", "type", "strlen", "watch", "expiretime", "pexpiretime", "object", "touch", "publish", "dump":
	default:
		for _, key := range c.Args[:min(1, len(c.Args))] {
			a.unfollowed(c, c.key(key))
		}
	}
}

// flush takes everything away.
func (a *auditor) flush(c *Command) {
	for key, i := range a.keys.items {
		if c.Name == "flushdb" && i.db != c.DB {
			continue
		}
		if i.holding == nil {
			a.keys.remove(key)
			continue
		}
		a.over(key, a.here)
		a.gone(key)
	}
}

// gone notes that a lock is not there any more; it stays known whose it was.
func (a *auditor) gone(key string) {
	a.keys.items[key].expires = a.now.Add(-time.Hour)
	a.keys.change(key)
}

// unfollowed is a command about a lock whose effect is not followed: what becomes of the lock is
// not sure from then on.
func (a *auditor) unfollowed(c *Command, key string) {
	if i, _ := a.keys.get(key, a.now); a.locks[key] == nil || i == nil || i.holding == nil {
		return
	}
	h := a.keys.items[key].holding
	h.doubtful = true
	a.doubt(key, fmt.Sprintf("what %s in %s does to %s is not followed", c.Name, a.here, key), "an audit by hand from there on", h.place, a.here)
}

// script binds a client to the lock whose token is among the arguments of a script: it acts as
// its holder.
func (a *auditor) script(c *Command, by *client) {
	if len(c.Args) < 2 {
		return
	}
	n, err := strconv.Atoi(c.Args[1])
	if err != nil || n < 0 || n > len(c.Args)-2 {
		return
	}
	for _, key := range c.Args[2 : 2+n] {
		key = c.key(key)
		for _, argument := range c.Args[2+n:] {
			name := of{key, argument}
			h, _ := a.tokens.get(name)
			if shared, _ := a.shared.get(name); shared {
				// It does not say which of them this is.
				h = by.of(key)
			}
			if h != nil && h.token == argument && h.key == key {
				if lock := a.locks[key]; lock != nil {
					lock.proved = true
				}
				a.bind(by, h)
				a.acts(h, "acts as its holder")
			}
		}
	}
}

// bind says that a client is the holder of a lock. What it has stored before it was known to
// be is told now.
func (a *auditor) bind(by *client, h *holding) {
	by.hold(h)
	by.asked(h.key, h.token, place{})
	h.seen, h.seenAt = a.here, a.now
	pending := by.pending
	by.pending = nil
	for _, s := range pending {
		if s.at.Before(h.at) {
			continue
		}
		s.holding = h
		a.stored(s)
	}
}

// expired reports whether the TTL of a lock was over at a time.
func (a *auditor) expired(h *holding, at time.Time) bool {
	i := a.keys.items[h.key]
	return i != nil && i.holding == h && !i.expires.IsZero() && at.After(i.expires.Add(slack))
}

// endOf returns when a holding ended.
func (a *auditor) endOf(h *holding) time.Time {
	if h.over {
		return h.endedAt
	}
	if i := a.keys.items[h.key]; i != nil && i.holding == h {
		return i.expires
	}
	return h.seenAt
}

// acts notes that the holder of a lock acts as such.
func (a *auditor) acts(h *holding, what string) {
	if h.next != nil && !h.released {
		a.overlap(h, a.here, a.now, what)
	}
}

// overlap reports that a client still acted as the holder of a lock that another had acquired.
func (a *auditor) overlap(h *holding, here place, at time.Time, what string) {
	if h.overlapped || h.doubtful || h.next.doubtful || a.beliefs.endedBefore(h.token, h.next.at) {
		return
	}
	h.overlapped = true
	how := fmt.Sprintf("it ran out at %s", clock(h.endedAt))
	if !h.ended.none() {
		how = fmt.Sprintf("it was taken away in %s", h.ended)
	}
	a.find(Finding{Kind: OverlappingBelief, Key: h.key, Time: at, about: []string{h.token}, Text: fmt.Sprintf(
		"%s acquired %s in %s; %s, and %s acquired it in %s; yet in %s, %s later, the first one %s",
		a.who(h.grant), h.key, h.place, how, a.who(h.next), h.next.place, here, at.Sub(h.next.at).Round(time.Millisecond), what)},
		h.key, h.place, h.ended, h.next.place, here)
}

// who names the holder of a lock.
func (a *auditor) who(g *grant) string { return a.names.of(g.token, g.client) }

// named names a client: by what is known of it, or by the lock that it holds or held.
func (a *auditor) named(by *client) string {
	if by.name != anonymous {
		return by.name.String()
	}
	if h := by.holding(); h != nil {
		return a.names.of(h.token, by.address)
	}
	return by.address
}

// find adds a finding that rests on a key's being a lock.
func (a *auditor) find(f Finding, lock string, places ...place) {
	f.lock, f.commands = lock, a.commanded
	a.result.find(f, places...)
}

func (a *auditor) doubt(lock, text, wanted string, places ...place) {
	a.result.doubt(Doubt{Text: text, Wanted: wanted, lock: lock}, places...)
}

// forgotten is how many clients, tokens and requests were forgotten.
func (a *auditor) forgotten() int {
	return a.clients.forgotten + a.tokens.forgotten + a.lost + a.beliefs.forgotten()
}

// withoutValues takes out what rests on a lock that was none.
func (a *auditor) withoutValues() {
	none := func(lock string) bool { return lock != "" && a.locks[lock] != nil && a.locks[lock].isValue(lock) }
	a.result.Findings = slices.DeleteFunc(a.result.Findings, func(f Finding) bool { return none(f.lock) })
	a.result.Doubts = slices.DeleteFunc(a.result.Doubts, func(d Doubt) bool { return none(d.lock) })
}
