package incident

import (
	"slices"
	"time"
)

// EventKind says what an event of a log is.
type EventKind string

// What an application says of itself, in the terms of Lockstep. A belief begins with Acquired
// and ends with Release, Released, ReleaseRefused or Lost, whichever comes first.
const (
	// Request: a request has come in.
	Request EventKind = "request"
	// Refused: the lock was asked for, and another has it.
	Refused EventKind = "refused"
	// Acquired: the store has granted the lock.
	Acquired EventKind = "acquired"
	// Renewed: the store has renewed it.
	Renewed EventKind = "renewed"
	// Lost: its holder has noticed that it is not its own any more, as when a renewal failed.
	Lost EventKind = "lost"
	// Release: it was released, and what the store did is not said. Released: the store has
	// removed a lock. ReleaseRefused: the store has removed nothing.
	Release        EventKind = "release"
	Released       EventKind = "released"
	ReleaseRefused EventKind = "release-refused"
	// RebuildStart: the source was read, of a version; RebuildDone: the value is computed;
	// RebuildFailed: it is not, and will not be.
	RebuildStart  EventKind = "rebuild-start"
	RebuildDone   EventKind = "rebuild-done"
	RebuildFailed EventKind = "rebuild-failed"
	// Stored: the store has accepted the value; StoreRefused: it has not.
	Stored       EventKind = "stored"
	StoreRefused EventKind = "store-refused"
	// Hit: the request was answered from the cache. Stale: it was answered with a copy that is
	// known to be old. Answered: it was answered. Failed: it was not.
	Hit      EventKind = "hit"
	Stale    EventKind = "stale"
	Answered EventKind = "answered"
	Failed   EventKind = "failed"
	// Miss: the cache had nothing.
	Miss EventKind = "miss"
	// Updated: the source has changed, to a version.
	Updated EventKind = "updated"
	// Crashed: the node is gone, and what it believed with it.
	Crashed EventKind = "crashed"
)

// What else an event can be.
const (
	// StoreCommand is a command that a store has executed.
	StoreCommand EventKind = "command"
	// Invoke, OK, Fail and Info are those of a history of Jepsen.
	Invoke EventKind = "invoke"
	OK     EventKind = "ok"
	Fail   EventKind = "fail"
	Info   EventKind = "info"
	// Other is an event of an application that the mapping does not know.
	Other EventKind = "other"
)

// ApplicationEvents returns what an event of an application can be.
func ApplicationEvents() []EventKind {
	return []EventKind{
		Request, Refused, Acquired, Renewed, Lost, Release, Released, ReleaseRefused, RebuildStart, RebuildDone, RebuildFailed,
		Stored, StoreRefused, Hit, Stale, Answered, Failed, Miss, Updated, Crashed,
	}
}

func historyKinds() []EventKind { return []EventKind{Invoke, OK, Fail, Info} }

// isHistory reports whether an event is one of a history.
func (k EventKind) isHistory() bool { return slices.Contains(historyKinds(), k) }

// Event is an entry of a log. Fields that the log does not tell are empty.
type Event struct {
	// Time is that of the clock of whoever wrote the log. File and Line are where it stands,
	// the line from 1.
	Time time.Time
	File string
	Line int
	// Node is the service instance, Request what it worked on; Client the address of a
	// connection, or the process of a history.
	Node, Client, Request string
	Kind                  EventKind
	// Command is set if the kind is StoreCommand, and only then.
	Command *Command
	// Key is the lock, or the value; Token that of the holder. TTL is that of a lock.
	Key, Token string
	TTL        time.Duration
	// Version is that of the source from which a value was computed.
	Value, Version string
	// Name is what the log calls it, if the kind is Other; of a history the operation.
	Name string
}

// EventReader reads the events of a log. Next returns the next one, io.EOF after the last one;
// another error is one of the input.
type EventReader interface {
	Next() (*Event, error)
}

// Commands returns the store commands among the events.
func Commands(events EventReader) Reader { return commandsOf{events} }

type commandsOf struct{ events EventReader }

// Next returns the next command, io.EOF after the last one.
func (r commandsOf) Next() (*Command, error) {
	for {
		e, err := r.events.Next()
		if err != nil || e.Command != nil {
			return commandOf(e), err
		}
	}
}

func commandOf(e *Event) *Command {
	if e == nil {
		return nil
	}
	return e.Command
}

// eventOf is the event that a command is.
func eventOf(c *Command) *Event {
	return &Event{
		Time: c.Time, File: c.File, Line: c.Line, Node: c.Node, Client: c.Client, Request: c.Request, Kind: StoreCommand, Command: c,
	}
}
