package incident

import (
	"cmp"
	"slices"
	"time"
)

// Kind says what a finding is about.
type Kind string

// What a recording can prove.
const (
	// ForeignRelease: a client took away a lock that carried another's token.
	ForeignRelease Kind = "foreign-release"
	// ForeignRenewal: a client renewed a lock that carried another's token.
	ForeignRenewal Kind = "foreign-renewal"
	// OverlappingBelief: a client acted as the holder of a lock that another had acquired
	// meanwhile.
	OverlappingBelief Kind = "overlapping-belief"
	// WriteAfterLoss: a client stored a value after the lock around it was over.
	WriteAfterLoss Kind = "write-after-loss"
	// StaleOverwrite: a value that was computed from older data replaced one from newer data.
	StaleOverwrite Kind = "stale-overwrite"
	// StaleAnswer: a request was answered with older data than had been stored before it began.
	StaleAnswer Kind = "stale-answer"
	// LockWithoutTTL: a lock that nothing ends stands, and its owner does nothing any more.
	LockWithoutTTL Kind = "lock-without-ttl"
	// SilentOwner: a holder has neither released nor renewed its lock, and is silent for longer
	// than the TTL.
	SilentOwner Kind = "silent-owner"
	// RetryStorm: a lock is asked for very often.
	RetryStorm Kind = "retry-storm"
	// RepeatedRebuild: a value was computed several times for one expiry, or by several at the
	// same time.
	RepeatedRebuild Kind = "repeated-rebuild"
)

// Finding is something that a recording proves.
type Finding struct {
	Kind Kind `json:"kind"`
	// Lines are those that prove it, in order; the last one is where it happens. Places are
	// the same with the names of the files, if there are several.
	Lines  []int   `json:"lines"`
	Places []Place `json:"places,omitempty"`
	// Time is when it happens, Key what it is about, and Text says it in words.
	Time time.Time `json:"time"`
	Key  string    `json:"key"`
	Text string    `json:"text"`
	// Waiters are those who ask for a lock in vain, the first few.
	Waiters []Waiter `json:"waiters,omitempty"`

	// last is the number of the event at which it happens.
	last int
	// lock is the key that it takes for a lock, and about are the tokens that it is about.
	lock  string
	about []string
	// commands: commands prove it, rather than what an application says of itself.
	commands bool
}

// Waiter is who has asked for a lock in vain since that was taken.
type Waiter struct {
	Name string `json:"name"`
	// Since is when it has asked for the first time, in Line; Tries is how often it has asked,
	// to Last.
	Since time.Time `json:"since"`
	Line  Place     `json:"first"`
	Tries int       `json:"tries"`
	Last  Place     `json:"last"`
}

// Doubt is something that a recording leaves open.
type Doubt struct {
	Lines  []int   `json:"lines"`
	Places []Place `json:"places,omitempty"`
	// Text says what is open, Wanted what would decide it.
	Text   string `json:"text"`
	Wanted string `json:"wanted"`

	first int
	lock  string
}

// Result is what an audit says of a recording.
type Result struct {
	// Commands is how many there are, from First to Last; Back is how often a clock has
	// stepped back.
	Commands    int       `json:"commands"`
	First, Last time.Time `json:"-"`
	Back        int       `json:"clock_steps_back"`
	// Clients is how many connections there are, ClientsAtLeast: or more.
	Clients        int  `json:"clients"`
	ClientsAtLeast bool `json:"clients_at_least,omitempty"`
	// Events is how many there are of applications, Nodes and Requests of how many of these, and
	// Answers how their requests were answered.
	Events   int     `json:"events,omitempty"`
	Nodes    int     `json:"nodes,omitempty"`
	Requests int     `json:"requests,omitempty"`
	Answers  Answers `json:"answers,omitzero"`
	// Others is how many events of applications the mapping does not know, and OthersFirst are
	// the first few of their names.
	Others      int      `json:"other_events,omitempty"`
	OthersFirst []string `json:"other_events_first,omitempty"`
	// Unkeyed: events about locks name no key, and are taken to be about one lock.
	Unkeyed bool `json:"keys_not_named,omitempty"`
	// Locks are the keys that were asked for with NX, sorted.
	Locks    []string  `json:"locks"`
	Findings []Finding `json:"findings"`
	Doubts   []Doubt   `json:"undecided"`
	Bad      Bad       `json:"bad_lines"`
	// Dropped is how many keys were not followed, for lack of memory, Forgotten how many
	// clients, locks, tokens and requests were forgotten, and Left how many findings and doubts were
	// left out since there are so many.
	Dropped   int `json:"keys_not_followed,omitempty"`
	Forgotten int `json:"forgotten,omitempty"`
	Left      int `json:"left_out,omitempty"`
}

// Answers count how requests were answered.
type Answers struct {
	Hit    int `json:"hit"`
	Stale  int `json:"stale"`
	Other  int `json:"other"`
	Failed int `json:"failed"`
}

// maxFindings is how many findings are kept, and how many doubts.
const maxFindings = 1000

// find adds a finding.
func (r *Result) find(f Finding, places ...place) {
	if len(r.Findings) == maxFindings {
		r.Left++
		return
	}
	places = inOrder(places)
	f.Lines, f.Places = split(places)
	f.last = places[len(places)-1].number
	r.Findings = append(r.Findings, f)
}

// doubt adds a doubt.
func (r *Result) doubt(d Doubt, places ...place) {
	if len(r.Doubts) == maxFindings {
		r.Left++
		return
	}
	places = inOrder(places)
	d.Lines, d.Places = split(places)
	d.first = places[0].number
	r.Doubts = append(r.Doubts, d)
}

// sort brings findings into the order in which they happen.
func (r *Result) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.last, b.last), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	slices.SortStableFunc(r.Doubts, func(a, b Doubt) int { return cmp.Compare(a.first, b.first) })
}
