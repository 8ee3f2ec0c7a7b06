package explain

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lockstep/checks/incident"
)

// MaxCommands is how many commands of a log are kept that may matter: an explanation is about a
// part of a log.
const MaxCommands = 200_000

// action is a command with what it asks of keys; a script with all that it does.
type action struct {
	file   string
	line   int
	at     time.Time
	client string
	node   string
	script bool
	// reads is what it reads, effects what it asks to be changed or to be told.
	reads   []string
	effects []incident.Effect
	// arguments are those of a script, besides its keys.
	arguments []string
	text      string
}

// touches reports whether it is about one of the keys.
func (a *action) touches(keys map[string]bool) bool {
	return slices.ContainsFunc(a.reads, func(k string) bool { return keys[k] }) ||
		slices.ContainsFunc(a.effects, func(e incident.Effect) bool { return keys[e.Key] })
}

// sole is what it asks of its only key, nil if it is a script or about more.
func (a *action) sole() *incident.Effect {
	if a.script || len(a.effects) != 1 {
		return nil
	}
	return &a.effects[0]
}

// place is the line of the action, with the file if there are several.
func (a *action) place() string {
	if a.file != "" {
		return fmt.Sprintf("line %d of %s", a.line, a.file)
	}
	return fmt.Sprintf("line %d", a.line)
}

// actions are the commands of a log that are about keys.
type actions struct {
	all []*action
	// first and last are when the first and the last command of any kind were, back is how
	// often the clock of the server has stepped back: there the order counts.
	first, last time.Time
	back        int
}

// readActions reads a log to its end.
func readActions(r incident.Reader) (*actions, error) {
	log := &actions{}
	calling := map[string]*action{} // the script that a client has called last
	for {
		c, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if log.first.IsZero() {
			log.first, log.last = c.Time, c.Time
		}
		if c.Time.Before(log.last) {
			log.back++
		} else {
			log.last = c.Time
		}
		effects := c.Effects()
		for i := range effects {
			effects[i].Key = inDatabase(c.DB, effects[i].Key)
		}
		if c.Script {
			if a := calling[c.Client]; a != nil {
				a.take(effects)
			}
			continue
		}
		a := &action{file: c.File, line: c.Line, at: log.last, client: c.Client, node: c.Node, text: short(c)}
		keys, calls := c.CallsScript()
		if a.script = calls; calls {
			a.arguments = c.Args[min(len(c.Args), 2+len(keys)):]
			calling[c.Client] = a
		} else {
			a.take(effects)
		}
		if len(effects) == 0 && !a.script {
			continue
		}
		if log.all = append(log.all, a); len(log.all) > MaxCommands {
			return nil, fmt.Errorf("the log has more than %d commands about keys: explain a part of it, from shortly before the lock was taken to shortly after the damage", MaxCommands)
		}
	}
	// A script that did nothing was not there: NOSCRIPT, and EVAL follows.
	log.all = slices.DeleteFunc(log.all, func(a *action) bool { return len(a.reads)+len(a.effects) == 0 })
	for _, a := range log.all {
		if a.script {
			a.text += " of " + a.does()
		}
	}
	return log, nil
}

// inDatabase is a key of a database: with that before it, unless it is the first.
func inDatabase(db int, key string) string {
	if db == 0 {
		return key
	}
	return fmt.Sprintf("db%d:%s", db, key)
}

func (a *action) take(effects []incident.Effect) {
	for _, e := range effects {
		if e.Kind == incident.Reads && a.script {
			a.reads = append(a.reads, e.Key)
			continue
		}
		a.effects = append(a.effects, e)
	}
}

// does says what a script does.
func (a *action) does() string {
	var parts []string
	for _, key := range a.reads {
		parts = append(parts, "get "+key)
	}
	for _, e := range a.effects {
		parts = append(parts, string(e.Kind)+" "+e.Key)
	}
	return strings.Join(parts, ", ")
}

// short is a command in about 60 characters at most.
func short(c *incident.Command) string {
	text := c.Name
	if _, script := c.CallsScript(); script {
		return text
	}
	for _, arg := range c.Args {
		if len(text)+len(arg) > 60 {
			return text + " ..."
		}
		text += " " + arg
	}
	return text
}
