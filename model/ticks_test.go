package model

import (
	"testing"
	"time"
)

// A tick is as coarse as the durations allow, and none is known before there is a
// duration: what turns up first decides.
func TestATickIsTheGreatestCommonDivisor(t *testing.T) {
	none := Tick{}
	if !none.Fits(0) || none.Fits(2*time.Second) {
		t.Error("a tick that has seen no duration fits something other than 0")
	}
	tick := none.With(6*time.Second, 0, 900*time.Millisecond)
	if tick.Size() != 300*time.Millisecond {
		t.Errorf("the tick is %s", tick.Size())
	}
	if !tick.Fits(1200*time.Millisecond) || tick.Fits(time.Second) {
		t.Error("a duration fits that is no whole number of ticks, or one does not that is")
	}
	if n, err := tick.Ticks(6 * time.Second); n != 20 || err != nil || tick.Duration(n) != 6*time.Second {
		t.Errorf("6 s are %d ticks, %v", n, err)
	}
	if _, err := tick.Ticks(time.Duration(MaxTicks+1) * tick.Size()); err == nil {
		t.Error("a duration of too many ticks is accepted")
	}
}
