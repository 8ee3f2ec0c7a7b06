package incident

import (
	"io"
	"strconv"
	"strings"
	"time"

	"lockstep/checks/confirm/command"
	"lockstep/model"
)

// FromTrace returns the store commands of a trace as they would stand in what MONITOR prints.
// The client of each is the process, with its node and its request; keys have the name of their
// store before them, as store/lock:feed. The trace begins at the Unix epoch, and the line of
// a command is the number of its step, from 1. Unlike in the output of MONITOR, replies are
// known.
//
// A comparison is an EVAL of the script that services use, and what an atomic step has changed
// one of a script of its name, with what each does as its lines. What a fault does to a store is
// a DEL or SET of the client "fault NAME". Operations on lists, channels and replicas are left
// out, and so is a command that a fault has kept from the store.
func FromTrace(t *model.Trace) Reader { return &traceCommands{trace: t} }

type traceCommands struct {
	trace *model.Trace
	step  int
	queue []*Command
}

// Next returns the next command, io.EOF after the last one.
func (r *traceCommands) Next() (*Command, error) {
	for len(r.queue) == 0 {
		if r.step == len(r.trace.Steps) {
			return nil, io.EOF
		}
		r.step++
		r.queue = stepCommands(&r.trace.Steps[r.step-1], r.step)
	}
	c := r.queue[0]
	r.queue = r.queue[1:]
	return c, nil
}

// stepCommands are the commands that a step sends to a store, of which it has the number.
func stepCommands(s *model.TraceStep, number int) []*Command {
	c, known := command.Of(s)
	client, at := s.Process, time.Unix(0, int64(s.Time)).UTC()
	if client == "" {
		client = s.Node
	}
	var all []*Command
	add := func(words []string, script bool) *Command {
		one := &Command{
			Line: number, Time: at, Client: client, Script: script, Node: s.Node, Request: requestOf(s.Process),
			Name: strings.ToLower(words[0]), Args: words[1:],
		}
		all = append(all, one)
		return one
	}
	switch {
	case known && arrived(s):
		sent := add(c.Words(c.Key, command.Milliseconds(c.TTL)), false)
		if command.Replied(s) {
			sent.Reply = s.Observation
		}
		if sent.Name != "eval" {
			break
		}
		add([]string{"GET", c.Key}, true)
		if sent.Reply != "ok" && len(s.Changes) == 0 {
			break
		}
		if c.Name == command.DeleteIfEqual {
			add([]string{"DEL", c.Key}, true)
		} else {
			add([]string{"PEXPIRE", c.Key, strconv.FormatInt(command.Milliseconds(c.TTL), 10)}, true)
		}
	case len(s.Changes) == 0 || s.Kind == "expire" || strings.HasPrefix(s.Operation, "Push") || strings.Contains(s.Operation, "Pop"):
	case s.Operation == "Atomic" && arrived(s):
		name, _, _ := strings.Cut(strings.Join(s.Arguments, " "), "(")
		eval := []string{"EVAL", name, strconv.Itoa(len(s.Changes))}
		for i := range s.Changes {
			eval = append(eval, s.Changes[i].Key)
		}
		add(eval, false)
		for i := range s.Changes {
			add(changeWords(&s.Changes[i]), true)
		}
	case s.Operation == "" && s.Fault != "":
		client = "fault " + s.Fault
		for i := range s.Changes {
			add(changeWords(&s.Changes[i]), false)
		}
	}
	return all
}

// arrived reports whether what a step sends has come to the store.
func arrived(s *model.TraceStep) bool {
	return s.Kind == "late" || command.Replied(s) && s.Kind == "effect" || len(s.Changes) > 0
}

// changeWords is a command that has the effect of a change.
func changeWords(c *model.TraceChange) []string {
	if c.After == "" {
		return []string{"DEL", c.Key}
	}
	words := []string{"SET", c.Key, c.After}
	if c.AfterTTL > 0 {
		words = append(words, "PX", strconv.FormatInt(command.Milliseconds(c.AfterTTL), 10))
	}
	return words
}

// requestOf is the process at the root of the family of a process.
func requestOf(process string) string {
	request, _, _ := strings.Cut(process, ".")
	return request
}
