package catalogue

import (
	"time"

	"lockstep/protocol"
)

// SetNX guards the rebuild with a lock of fixed TTL, SET NX EX. How the lock is
// released, what a loser does and what it falls back to are parameters.
//
// It claims one rebuild for the fleet. That is refuted even where the TTL exceeds
// the rebuild: a request that has missed and asks for the lock only when the winner
// has stored and released takes it in its turn, although the value is there by now.
// With LookAgain the winner looks at the cache once more after acquiring, and the
// claim is true as long as the lock outlives the rebuild.
//
// With an Expiry that is recorded the store knows no TTL: the lock carries the time at
// which it was asked for, and whoever finds it older than the TTL, by the clock of its
// own node, takes it over.
type SetNX struct {
	TTL       time.Duration  `default:"30s" help:"how long the lock lives"`
	Expiry    string         `default:"store" choices:"store,recorded" help:"who ends the lock: the store, or whoever finds the time that it carries too old"`
	Rebuild   protocol.Range `default:"2s..25s" help:"how long computing the value takes"`
	Release   string         `default:"plain" choices:"plain,if-mine,get-then-delete" help:"how the lock is released: a plain delete, a delete if it is still one's own in one step, or a look and then a delete"`
	Losers    string         `default:"recheck" choices:"recheck,fall-back,poll" help:"what a loser does: wait and look at the cache again, fall back at once, or wait and start over without end"`
	Wait      protocol.Range `default:"50ms..200ms" help:"how long a loser waits before it looks again"`
	Tries     int            `default:"3" min:"1" max:"20" help:"how often a loser looks again before it falls back"`
	Fallback  string         `default:"stale" choices:"stale,default,empty" help:"what a fall-back answers: the stale copy, a default value, or nothing"`
	LookAgain bool           `help:"look at the cache once more after acquiring the lock"`
}

// Handle gets the value; on a miss it takes the lock and rebuilds, or does what
// losers do.
func (p SetNX) Handle(c *protocol.Client) protocol.Answer {
	if v, ok, err := c.Cache.Get(feed); err == nil && ok {
		return protocol.Fresh(v)
	}
	token := c.NewToken()
	ok, err := p.acquire(c, token)
	if err != nil || !ok {
		return p.lose(c)
	}
	c.Acquired(lock)
	defer release(c, p.Release, token)
	if p.LookAgain {
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
	}
	v, err := c.Rebuild(p.Rebuild)
	if err != nil {
		return fallBack(p.Fallback)
	}
	c.Cache.Set(feed, v, c.ValueTTL())
	return protocol.Fresh(v)
}

func (p SetNX) acquire(c *protocol.Client, token protocol.Token) (bool, error) {
	if p.Expiry == "store" {
		return c.Store.SetNX(lock, token, p.TTL)
	}
	now := c.Now(p.TTL)
	if ok, err := c.Store.SetNX(lock, token, 0, protocol.At(now)); err != nil || ok {
		return ok, err
	}
	holder, since, ok, err := c.Store.GetStamped(lock)
	if err != nil || !ok || !c.OlderThan(since, p.TTL) {
		return false, err
	}
	return protocol.Atomic(c.Store, succession{holder, token, now}, takeOver)
}

type succession struct {
	From, To protocol.Token
	At       protocol.Timestamp
}

// takeOver changes the owner of the lock if it is still the one that was found.
func takeOver(v *protocol.View, s succession) bool {
	if holder, ok := v.Get(lock); !ok || holder != s.From {
		return false
	}
	v.Set(lock, s.To, protocol.At(s.At))
	return true
}

func (p SetNX) lose(c *protocol.Client) protocol.Answer {
	if p.Losers == "fall-back" {
		return fallBack(p.Fallback)
	}
	if p.Losers == "poll" {
		if c.SleepBetween(p.Wait.Min, p.Wait.Max) != nil {
			return protocol.Failed()
		}
		return protocol.Again()
	}
	for range p.Tries {
		c.SleepBetween(p.Wait.Min, p.Wait.Max)
		if v, ok, err := c.Cache.Get(feed); err == nil && ok {
			return protocol.Fresh(v)
		}
	}
	return fallBack(p.Fallback)
}

// release gives the lock back in one of three ways. A look before the delete does
// not help: the lock may expire and be taken by another in between.
func release(c *protocol.Client, how string, token protocol.Token) {
	switch how {
	case "if-mine":
		c.Releasing(lock)
		c.Store.DelIfEqual(lock, token)
	case "get-then-delete":
		holder, ok, err := c.Store.Get(lock)
		c.Releasing(lock)
		if err == nil && ok && holder == token {
			c.Store.Del(lock)
		}
	default:
		c.Releasing(lock)
		c.Store.Del(lock)
	}
}

func fallBack(to string) protocol.Answer {
	switch to {
	case "default":
		return protocol.Default()
	case "empty":
		return protocol.Empty()
	}
	return protocol.Stale()
}

// Update changes the source.
func (p SetNX) Update(c *protocol.Client) { protocol.UpdateSource(c, feed) }

// ClaimedRebuilds is one for the whole fleet.
func (p SetNX) ClaimedRebuilds(nodes, requests int) int { return 1 }
