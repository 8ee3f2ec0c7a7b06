package incident

import "time"

// Command is a command that a server has executed, as a line of MONITOR tells of it.
type Command struct {
	// Line is the number of the line, from 1; in a trace the number of the step.
	Line int
	// File is what it was read from, empty if there is only one.
	File string
	// Time is that of the server, with microseconds.
	Time time.Time
	// DB is the number of the database, and Client the address of who sent the command: that
	// of the caller for what a script does, which Script says.
	DB     int
	Client string
	Script bool
	// Node and Request are who the client is, empty if that is not known.
	Node, Request string
	// Name is in lower case, Args are as they were sent.
	Name string
	Args []string
	// Reply is what the server answered, in the words of a trace: ok, refused, missing and so
	// on. It is empty if that is not known: MONITOR does not print it.
	Reply string
}

// Reader reads the commands of a recording. Next returns the next one, io.EOF after the last
// one; another error is one of the input. [Monitor] is one, and so are the commands of a
// trace, see [FromTrace].
type Reader interface {
	Next() (*Command, error)
}
