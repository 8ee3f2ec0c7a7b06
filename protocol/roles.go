package protocol

// Booter is a Protocol whose nodes do something when they start. No request and no job of
// the node arrives before it has returned; after a restart it comes again.
type Booter interface {
	Boot(c *Client)
}

// Jobber is a Protocol whose nodes have a job beside their requests: a reaper, a refresh.
// Each run begins at any time, or never. One that goes on for ever marks the head of its
// loop with a Checkpoint.
type Jobber interface {
	Job(c *Client)
}
