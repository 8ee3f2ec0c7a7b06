package export

import (
	"encoding/json"
	"io"
	"strconv"

	"lockstep/model"
	"lockstep/model/timeline"
)

// ITF writes the trace in the Informal Trace Format of Apalache (ADR-015): the state at the
// beginning, and one after each step. Its variables:
//
//	step            the number of steps so far
//	time_ns         when the last one was
//	action          its kind, "init" at the beginning
//	node, process   where it happened, empty for nowhere
//	text            the step in words
//	entries         what each store and key that is not empty holds: the value, its TTL as
//	                it was set, 0 for none, and what is left of it
//	source_version  the newest version of the source that the steps so far tell of
//	believes        who believes to hold which lock
//	nodes           idle, active, holding, paused or crashed
func ITF(w io.Writer, t *model.Trace, o Options) error {
	trace := itfTrace{
		Meta: itfMeta{
			Format:      "ITF",
			Reference:   "https://apalache-mc.org/docs/adr/015adr-trace.html",
			Source:      t.Protocol,
			Description: verdict(t, o) + ": " + t.Explanation,
			Property:    claim(t),
			Types:       map[string]string{},
		},
	}
	for _, v := range itfVariables {
		trace.Vars = append(trace.Vars, v.name)
		trace.Meta.Types[v.name] = v.is
	}
	world := timeline.NewWorld(t)
	trace.States = append(trace.States, itfStateOf(world, 0, &model.TraceStep{Kind: "init"}))
	for i := range t.Steps {
		s := &t.Steps[i]
		world.Follow(s)
		trace.States = append(trace.States, itfStateOf(world, i+1, s))
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(&trace)
}

// itfVariables are the variables, with their types in the notation of Apalache.
var itfVariables = [...]struct{ name, is string }{
	{"step", "Int"}, {"time_ns", "Int"}, {"action", "Str"}, {"node", "Str"}, {"process", "Str"}, {"text", "Str"},
	{"entries", "Str -> { value: Str, ttl_ns: Int, left_ns: Int }"}, {"source_version", "Int"},
	{"believes", "Set(<<Str, Str>>)"}, {"nodes", "Str -> Str"},
}

type itfTrace struct {
	Meta   itfMeta    `json:"#meta"`
	Vars   []string   `json:"vars"`
	States []itfState `json:"states"`
}

type itfMeta struct {
	Format      string            `json:"format"`
	Reference   string            `json:"format-description"`
	Source      string            `json:"source"`
	Description string            `json:"description"`
	Property    string            `json:"property"`
	Types       map[string]string `json:"varTypes"`
}

type itfState struct {
	Meta struct {
		Index int `json:"index"`
	} `json:"#meta"`
	Step     itfInt `json:"step"`
	Time     itfInt `json:"time_ns"`
	Action   string `json:"action"`
	Node     string `json:"node"`
	Process  string `json:"process"`
	Text     string `json:"text"`
	Entries  itfMap `json:"entries"`
	Source   itfInt `json:"source_version"`
	Believes itfSet `json:"believes"`
	Nodes    itfMap `json:"nodes"`
}

// itfInt is a whole number, which a number of JSON may be too short for.
type itfInt int64

// MarshalJSON writes the number as text in an object.
func (n itfInt) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		N string `json:"#bigint"`
	}{strconv.FormatInt(int64(n), 10)})
}

type itfMap struct {
	Pairs [][2]any `json:"#map"`
}

type itfSet struct {
	Elements []itfTuple `json:"#set"`
}

type itfTuple struct {
	Elements []string `json:"#tup"`
}

type itfEntry struct {
	Value string `json:"value"`
	TTL   itfInt `json:"ttl_ns"`
	Left  itfInt `json:"left_ns"`
}

func itfStateOf(world *timeline.World, index int, s *model.TraceStep) itfState {
	state := itfState{
		Step: itfInt(index), Time: itfInt(s.Time), Action: s.Kind, Node: s.Node, Process: s.Process, Text: s.Text,
		Entries: itfMap{[][2]any{}}, Source: itfInt(world.Source()), Believes: itfSet{[]itfTuple{}}, Nodes: itfMap{[][2]any{}},
	}
	state.Meta.Index = index
	for _, k := range world.Keys() {
		if e, ok := world.Entry(k); ok {
			state.Entries.Pairs = append(state.Entries.Pairs, [2]any{k, itfEntry{e.Value, itfInt(e.TTL), itfInt(e.Left)}})
		}
	}
	for _, b := range world.Beliefs() {
		state.Believes.Elements = append(state.Believes.Elements, itfTuple{[]string{b.Process, b.Key}})
	}
	for _, n := range world.Nodes() {
		state.Nodes.Pairs = append(state.Nodes.Pairs, [2]any{n, world.Status(n).String()})
	}
	return state
}
