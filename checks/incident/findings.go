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
	// LockWithoutTTL: a lock that nothing ends stands, and its owner does nothing any more.
	LockWithoutTTL Kind = "lock-without-ttl"
	// RetryStorm: a lock is asked for very often.
	RetryStorm Kind = "retry-storm"
	// RepeatedRebuild: a value was computed several times for one expiry.
	RepeatedRebuild Kind = "repeated-rebuild"
)

// Finding is something that a recording proves.
type Finding struct {
	Kind Kind `json:"kind"`
	// Lines are those that prove it, in order; the last one is where it happens.
	Lines []int `json:"lines"`
	// Time is when it happens, Key what it is about, and Text says it in words.
	Time time.Time `json:"time"`
	Key  string    `json:"key"`
	Text string    `json:"text"`
}

// Doubt is something that a recording leaves open.
type Doubt struct {
	Lines []int `json:"lines"`
	// Text says what is open, Wanted what would decide it.
	Text   string `json:"text"`
	Wanted string `json:"wanted"`
}

// Result is what an audit says of a recording.
type Result struct {
	// Commands is how many there are, from First to Last; Back is how often the clock of
	// the server has stepped back.
	Commands    int       `json:"commands"`
	First, Last time.Time `json:"-"`
	Back        int       `json:"clock_steps_back"`
	Clients     int       `json:"clients"`
	// Locks are the keys that were asked for with NX, sorted.
	Locks    []string  `json:"locks"`
	Findings []Finding `json:"findings"`
	Doubts   []Doubt   `json:"undecided"`
	Bad      Bad       `json:"bad_lines"`
	// Dropped is how many keys were not followed, for lack of memory.
	Dropped int `json:"keys_not_followed,omitempty"`
}

// sort brings findings into the order in which they happen.
func (r *Result) sort() {
	slices.SortStableFunc(r.Findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Lines[len(a.Lines)-1], b.Lines[len(b.Lines)-1]), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	slices.SortStableFunc(r.Doubts, func(a, b Doubt) int { return cmp.Compare(a.Lines[0], b.Lines[0]) })
}
