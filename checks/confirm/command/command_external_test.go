package command_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"lockstep/checks/confirm/command"
	"lockstep/model"
)

func ExampleOf() {
	c, ok := command.Of(&model.TraceStep{Operation: "SetNX", Key: "store/lock:feed", Arguments: []string{"#1", "10s"}})
	fmt.Println(c.Words("lock:feed", command.Milliseconds(c.TTL)), ok)
	// Output: [SET lock:feed #1 PX 10000 NX] true
}

// Each operation that a server has a command for is that command; the others are none.
func TestOperationsAreCommands(t *testing.T) {
	for _, c := range []struct {
		operation string
		arguments []string
		words     []string
	}{
		{"Get", nil, []string{"GET", "k"}},
		{"Del", nil, []string{"DEL", "k"}},
		{"Incr", nil, []string{"INCR", "k"}},
		{"PTTL", []string{"3s"}, []string{"PTTL", "k"}},
		{"PExpire", []string{"3s"}, []string{"PEXPIRE", "k", "3000"}},
		{"Set", []string{"v1"}, []string{"SET", "k", "v1"}},
		{"SetXX", []string{"v1", "KEEPTTL"}, []string{"SET", "k", "v1", "KEEPTTL", "XX"}},
		{"DelIfEqual", []string{"#1"}, []string{"EVAL", command.DeleteIfEqualScript, "1", "k", "#1"}},
		{"ExpireIfEqual", []string{"#1", "1500us"}, []string{"EVAL", command.ExpireIfEqualScript, "1", "k", "#1", "2"}},
		{"Set", nil, nil},
		{"SetNX", []string{"#1", "soon"}, nil},
		{"Atomic", []string{"f()"}, nil},
		{"Push", []string{"#1"}, nil},
	} {
		got, ok := command.Of(&model.TraceStep{Operation: c.operation, Key: "store/k", Arguments: c.arguments})
		if ok != (c.words != nil) {
			t.Errorf("%s %v: %t", c.operation, c.arguments, ok)
		} else if words := got.Words("k", command.Milliseconds(got.TTL)); ok && !slices.Equal(words, c.words) {
			t.Errorf("%s %v: %v, want %v", c.operation, c.arguments, words, c.words)
		}
	}
	if _, ok := command.Of(&model.TraceStep{Operation: "Get", Key: "local"}); ok {
		t.Error("the memory of a node is no store")
	}
	if command.Milliseconds(time.Nanosecond) != 1 || command.Replied(&model.TraceStep{Observation: "timeout"}) || !command.Replied(&model.TraceStep{Observation: "ok"}) {
		t.Error("milliseconds or replies are wrong")
	}
}
