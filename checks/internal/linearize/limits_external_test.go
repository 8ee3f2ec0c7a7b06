package linearize_test

import (
	"strings"
	"testing"

	"lockstep/checks/internal/linearize"
)

// A history that is too much says which limit it exceeds, instead of a wrong answer.
func TestAHistoryCanBeTooMuch(t *testing.T) {
	register := subjects()["register"]
	for name, c := range map[string]struct {
		exceed func(a *linearize.Automaton)
		says   string
	}{
		"operations": {func(a *linearize.Automaton) {
			at := linearize.Start
			for {
				at = a.Call(at, a.Unused(at), call{"read", 0})
			}
		}, "operations that are pending"},
		"clients": {func(a *linearize.Automaton) {
			at := linearize.Start
			for {
				at, _ = a.Join(at)
			}
		}, "clients"},
		"orders": {func(a *linearize.Automaton) {
			at := linearize.Start
			for k := range 20 {
				at = a.Call(at, a.Unused(at), call{"write", k})
			}
			a.Return(at, 0, "ok")
		}, "ways to linearize"},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				limit, is := recover().(linearize.TooMuch)
				if !is || !strings.Contains(limit.Limit(), c.says) {
					t.Errorf("%v, want a limit of %s", limit, c.says)
				}
			}()
			c.exceed(linearize.New(register.Object))
		})
	}
}

// The number of a client that is gone is used again when nothing mentions it, and a state of
// the automaton has the same name in another one.
func TestNumbersAreUsedAgainAndNamesAreEverywhereTheSame(t *testing.T) {
	mutex := subjects()["mutex"].Object
	mutex.Mentions = func(v any, client int) bool {
		in, isInput := v.(call)
		return isInput && in.N == client || !isInput && v == client
	}
	run := func(a *linearize.Automaton) (ids []linearize.ID) {
		at, first := a.Join(linearize.Start)
		at = a.Return(a.Call(at, 0, call{"lock", int(first)}), 0, "ok")
		at = a.Collect(at, linearize.Numbers{})
		if at, second := a.Join(at); second != 1 {
			t.Errorf("the number %d is used again of one that holds the lock (%v)", second, at)
		}
		at = a.Return(a.Call(at, 0, call{"unlock", int(first)}), 0, "ok")
		at = a.Collect(at, linearize.Numbers{})
		at, second := a.Join(at)
		if second != first {
			t.Errorf("the number is %d, and %d is free", second, first)
		}
		return append(ids, at)
	}
	one, other := run(linearize.New(mutex)), run(linearize.New(mutex))
	if one[0] != other[0] {
		t.Errorf("%x and %x", one, other)
	}
}
