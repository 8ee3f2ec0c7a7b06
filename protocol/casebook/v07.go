package casebook

import (
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/protocol"
)

func init() {
	add(Case{
		ID: "V-07", Rank: 8, Kind: StaleSet,
		Title: "Slow rebuild overwrites the newer value when its lock has expired",
		Lesson: `A rebuild that outlasts its lock has read the source before an update, and stores what it
has when a second one has long stored the newer value. To look at the lock first is another
step, in which it can expire; in one script with the write that is sound, but then a slow
rebuild that nobody competed with is thrown away. The step that stores must compare the
value with what is stored, and refuse what is older. Two may still believe that they hold
the lock: it now saves work, no more.`,
		Sources: []string{
			"https://github.com/middleapi/orpc/pull/1964", "https://github.com/learningequality/kolibri/issues/7463",
			"https://github.com/microlinkhq/keyvhq/pull/275",
		},
		Checks: []Check{
			{
				Shows: "the older value is stored last", Property: checks.NoStaleOverwrite(),
				Before: slowRebuild{Store: "always"}, After: slowRebuild{Store: "newer"},
				World: world(2, 1), Steps: 10, Unrepaired: checks.MutualExclusion(),
			},
			{
				Shows: "a look at the lock beforehand", Property: checks.NoStaleOverwrite(),
				Before: slowRebuild{Store: "looked"}, After: slowRebuild{Store: "owner"},
				World: world(2, 1, faults.Pause(1, 3*time.Second)), Faults: 1, Steps: 14, Unrepaired: checks.MutualExclusion(),
			},
		},
	})
}

// slowRebuild has its lock and its value in one store, so that a script can see both.
type slowRebuild struct {
	Store string `default:"always" choices:"always,looked,owner,newer"`
}

func (p slowRebuild) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := c.Store.SetNX("lock", token, 5*time.Second); err != nil || !ok {
		return protocol.Stale()
	}
	c.Acquired("lock")
	v, err := c.Rebuild(protocol.Range{Min: time.Second, Max: 8 * time.Second})
	if err == nil {
		p.store(c, slowResult{v, token})
	}
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	if err != nil {
		return protocol.Failed()
	}
	return protocol.Fresh(v)
}

func (p slowRebuild) store(c *protocol.Client, r slowResult) {
	switch p.Store {
	case "looked":
		if holder, ok, err := c.Store.Get("lock"); err == nil && ok && holder == r.Token {
			c.Store.Set("feed", r.Value)
		}
	case "owner":
		protocol.Atomic(c.Store, r, storeAsOwner)
	case "newer":
		protocol.Atomic(c.Store, r, storeIfNewer)
	default:
		c.Store.Set("feed", r.Value)
	}
}

type slowResult struct {
	Value protocol.Value
	Token protocol.Token
}

func storeAsOwner(v *protocol.View, r slowResult) bool {
	if holder, ok := v.Get("lock"); !ok || holder != r.Token {
		return false
	}
	v.Set("feed", r.Value)
	return true
}

func storeIfNewer(v *protocol.View, r slowResult) bool {
	if stored, ok := v.Get("feed"); ok && protocol.Older(r.Value, stored) {
		return false
	}
	v.Set("feed", r.Value)
	return true
}
