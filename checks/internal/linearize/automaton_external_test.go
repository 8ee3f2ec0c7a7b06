package linearize_test

import (
	"fmt"
	"reflect"
	"testing"

	"lockstep/checks/internal/linearize"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"
)

// call is the input of the objects of these tests.
type call struct {
	Op string
	N  int
}

// String hides the number: words do not tell inputs apart.
func (c call) String() string { return c.Op }

func numbers(n int) []any {
	var all []any
	for k := range n {
		all = append(all, k)
	}
	return all
}

// What the objects have in common: inputs that can be called and outputs that can come.
type subject struct {
	linearize.Object
	inputs  []call
	outputs []any
}

func deterministic(init any, next func(state any, in call) (output, after any)) linearize.Object {
	return linearize.Object{
		Model: porcupine.Model{
			Init: func() any { return init },
			Step: func(state, input, output any) (bool, any) {
				want, after := next(state, input.(call))
				return want == output, after
			},
		},
		Outputs: func(state, input any) []any { out, _ := next(state, input.(call)); return []any{out} },
	}
}

func subjects() map[string]subject {
	register := deterministic(0, func(state any, in call) (any, any) {
		if in.Op == "write" {
			return "ok", in.N
		}
		return state, state
	})
	counter := deterministic(0, func(state any, in call) (any, any) {
		if in.Op == "add" {
			return state.(int) + 1, state.(int) + 1
		}
		return state, state
	})
	mutex := deterministic(-1, func(state any, in call) (any, any) {
		switch {
		case in.Op == "lock" && state == -1:
			return "ok", in.N
		case in.Op == "unlock" && state == in.N:
			return "ok", -1
		}
		return "refused", state
	})
	queue := linearize.Object{
		Model: porcupine.Model{
			Init: func() any { return []int(nil) },
			Step: func(state, input, output any) (bool, any) {
				items, in := state.([]int), input.(call)
				if in.Op == "put" {
					return output == "ok", append(append([]int(nil), items...), in.N)
				}
				if len(items) == 0 {
					return output == "empty", items
				}
				return output == items[0], items[1:]
			},
			Equal: func(x, y any) bool {
				return len(x.([]int)) == 0 && len(y.([]int)) == 0 || reflect.DeepEqual(x, y)
			},
			DescribeState: func(s any) string { return fmt.Sprint(s) },
		},
		Outputs: func(any, any) []any { return append(numbers(3), "ok", "empty") },
	}
	// A lock that may refuse without a reason, and a read that may lag by one.
	whim := &porcupine.NondeterministicModel{
		Init: func() []any { return []any{0} },
		Step: func(state, input, output any) []any {
			n := state.(int)
			switch in := input.(call); {
			case in.Op == "try" && output == "refused":
				return []any{n}
			case in.Op == "try" && output == "ok" && n == 0:
				return []any{1, 2}
			case in.Op == "free" && output == "ok" && n > 0:
				return []any{n - 1}
			}
			return nil
		},
	}
	return map[string]subject{
		"register":         {register, []call{{"read", 0}, {"write", 1}, {"write", 2}}, append(numbers(3), "ok")},
		"counter":          {counter, []call{{"add", 0}, {"read", 0}}, numbers(5)},
		"mutex":            {mutex, []call{{"lock", 0}, {"lock", 1}, {"unlock", 0}, {"unlock", 1}}, []any{"ok", "refused"}},
		"queue":            {queue, []call{{"put", 1}, {"put", 2}, {"get", 0}}, append(numbers(3), "ok", "empty")},
		"nondeterministic": {linearize.Object{Model: whim.ToModel(), Outputs: func(any, any) []any { return []any{"ok", "refused"} }}, []call{{"try", 0}, {"free", 0}}, []any{"ok", "refused"}},
	}
}

// rounds is how many hundreds of histories are compared for each object.
const rounds = 10

// The automaton and porcupine agree on every prefix of a random history: of operations that
// return, that fail, that are abandoned and that are still pending.
func TestTheAutomatonAgreesWithPorcupine(t *testing.T) {
	for name, s := range subjects() {
		t.Run(name, func(t *testing.T) {
			if err := s.Valid(); err != nil {
				t.Fatal(err)
			}
			automaton := linearize.New(s.Object)
			histories, broken, held := 0, 0, 0
			compare := func(t *rapid.T) {
				at, history := linearize.Start, linearize.History{}
				var open []uint8
				state := s.Model.Init()
				for range rapid.IntRange(10, 20).Draw(t, "events") {
					calls := len(open) == 0 || len(open) < 4 && rapid.Bool().Draw(t, "call")
					if calls {
						n := automaton.Unused(at)
						in := rapid.SampledFrom(s.inputs).Draw(t, "input")
						at = automaton.Call(at, n, in)
						history.Call(n, in)
						open = append(open, n)
						continue
					}
					k := rapid.IntRange(0, len(open)-1).Draw(t, "which")
					n := open[k]
					open = append(open[:k:k], open[k+1:]...)
					input, _ := automaton.Input(at, n)
					switch rapid.IntRange(0, 9).Draw(t, "how") {
					case 0:
						at = automaton.Fail(at, n)
						history.Fail(n)
					case 1, 2:
						at = automaton.Abandon(at, n)
						history.Abandon(n)
					default:
						// Most outputs are possible ones, or few histories would go on.
						out := rapid.SampledFrom(s.outputs).Draw(t, "output")
						if rapid.IntRange(0, 3).Draw(t, "sane") > 0 {
							for _, o := range s.Outputs(state, input) {
								if ok, next := s.Model.Step(state, input, o); ok {
									state, out = next, o
									break
								}
							}
						}
						at = automaton.Return(at, n, out)
						history.Return(n, out)
					}
					histories++
					if got, want := at != linearize.Broken, history.Linearizable(s.Object); got != want {
						t.Fatalf("the automaton says %t and porcupine %t", got, want)
					}
					if at == linearize.Broken {
						broken++
						return
					}
				}
				held++
			}
			for range rounds {
				rapid.Check(t, compare)
			}
			if broken == 0 || held == 0 {
				t.Errorf("%d histories were broken and %d were not: the test compares too little", broken, held)
			}
			t.Logf("%d histories compared, %d broken, %d linearizable to the end", histories, broken, held)
		})
	}
}
