package scheduler_test

import (
	"strings"
	"testing"
	"time"

	"lockstep/checks"
	"lockstep/faults"
	"lockstep/model"
	"lockstep/protocol"
	"lockstep/scheduler"
)

// row is a lock that is a row of a table, with a column that says when it was taken: it may
// be taken over when that is longer than 10 s ago. Who holds it works for so long and
// gives it back.
type row struct {
	// Clock says whose time is written: that of the statement, of the beginning of the
	// transaction 5 s before it, or of the client.
	Clock string
	Work  time.Duration
}

type attempt struct {
	Token protocol.Token
	At    protocol.Timestamp
}

// takesNow takes the lock at the time of the statement, takesAt at a time that is given.
func takesNow(v *protocol.View, token protocol.Token) bool {
	if _, there := v.Get("lock"); there && !v.OlderThan("lock", 10*time.Second) {
		return false
	}
	v.Set("lock", token, protocol.AtNow(10*time.Second), protocol.PX(time.Hour))
	return true
}

func takesAt(v *protocol.View, a attempt) bool {
	if _, there := v.Get("lock"); there && !v.OlderThan("lock", 10*time.Second) {
		return false
	}
	v.Set("lock", a.Token, protocol.At(a.At))
	return true
}

func (p row) Handle(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	var ok bool
	var err error
	switch p.Clock {
	case "statement":
		ok, err = protocol.Atomic(c.Store, token, takesNow)
	case "transaction":
		var began protocol.Timestamp
		if began, err = c.Store.Now(10 * time.Second); err != nil {
			return protocol.Failed()
		}
		c.Compute(protocol.Range{Min: 5 * time.Second, Max: 5 * time.Second})
		ok, err = protocol.Atomic(c.Store, attempt{token, began}, takesAt)
	case "client":
		ok, err = protocol.Atomic(c.Store, attempt{token, c.Now(10 * time.Second)}, takesAt)
	}
	if err != nil || !ok {
		return protocol.Empty()
	}
	c.Acquired("lock")
	c.Compute(protocol.Range{Min: p.Work, Max: p.Work})
	c.Releasing("lock")
	c.Store.DelIfEqual("lock", token)
	return protocol.Empty()
}

// The age of a row is counted from the time that was written, and compared by the clock of
// the store. Who holds it for 10 s exactly may be overtaken at that instant.
func TestAnAtomicStepComparesAges(t *testing.T) {
	const second, ms = time.Second, time.Millisecond
	back, pause := faults.ClockBack(1, 3*second), faults.StoreClockForward(1, 3*second)
	for _, c := range []struct {
		rule  string
		p     row
		fault model.Fault
		want  bool
	}{
		{"what is not older than 10 s is not taken over", row{"statement", 9999 * ms}, nil, false},
		{"what is exactly as old may be", row{"statement", 10 * second}, nil, true},
		{"a transaction writes when it began", row{"transaction", 4999 * ms}, nil, false},
		{"so 5 s of the lease are over", row{"transaction", 5 * second}, nil, true},
		{"a client writes what its clock says", row{"client", 9999 * ms}, nil, false},
		{"which is wrong by 3 s", row{"client", 7 * second}, back, true},
		{"and not by more", row{"client", 6999 * ms}, back, false},
		{"the clock of a client is not that of the store", row{"statement", 9999 * ms}, back, false},
		{"nor do TTLs change it", row{"statement", 9999 * ms}, pause, false},
	} {
		s := scheduler.NewScenario(c.p)
		s.Updates, s.Latency, s.KeepZeros = 0, protocol.Range{}, true
		if c.fault != nil {
			s.Faults = []model.Fault{c.fault}
		}
		for _, o := range []scheduler.Options{{Workers: 1}, {NoSubsumption: true, NoSymmetry: true, PauseAnyTime: true, SeparateArrivals: true, SeparateWaits: true}} {
			if got := only(t, s, checks.MutualExclusion(), o); (got.Verdict == scheduler.Violated) != c.want {
				t.Errorf("%s: %s", c.rule, got.Verdict)
			}
		}
	}
}

func tenSecondsOld(v *protocol.View, _ int) bool { return v.OlderThan("k", 10*time.Second) }

// A write at the time of the store that takes effect again, or late, has the time of then: what
// is on its way carries no time.
func TestAWriteAtTheTimeOfTheStoreIsDatedWhenItTakesEffect(t *testing.T) {
	writes := func(c *protocol.Client, reached func()) {
		c.Within(time.Second, func() { c.Store.Set("k", c.NewToken(), protocol.AtNow(10*time.Second), protocol.PX(time.Hour)) })
		c.Sleep(12 * time.Second)
		if old, err := protocol.Atomic(c.Store, 0, tenSecondsOld); err == nil && !old {
			reached()
		}
	}
	for _, c := range []struct {
		rule    string
		fault   model.Fault
		latency time.Duration
		want    bool
	}{
		{"it is as old as it is", faults.Crash(1), 0, false},
		{"sent again within a second it is too old", faults.Duplicate(1, time.Second), 0, false},
		{"within five it need not be", faults.Duplicate(1, 5*time.Second), 0, true},
		{"nor if it takes longer than its sender waits", faults.Crash(1), 4 * time.Second, true},
	} {
		got := reachableFirst(t, writes, func(s *scheduler.Scenario) {
			s.Nodes, s.Faults, s.Latency = 1, []model.Fault{c.fault}, protocol.Range{Max: c.latency}
		})
		if got != c.want {
			t.Errorf("%s: %v", c.rule, got)
		}
	}
}

// What strikes an operation strikes an atomic step that asks for ages, too, whatever the
// answers are.
func TestFaultsStrikeAtomicStepsThatAsk(t *testing.T) {
	takesOver := func(c *protocol.Client, reached func()) {
		first, second := c.NewToken(), c.NewToken()
		if ok, err := protocol.Atomic(c.Store, first, takesNow); err != nil || !ok {
			return
		}
		c.Sleep(11 * time.Second)
		_, err := protocol.Atomic(c.Store, second, takesNow)
		if err == nil {
			return
		}
		c.WithoutCancel(func() {
			if seen, ok, err := c.Store.Get("lock"); err == nil && ok && seen == second {
				reached()
			}
		})
	}
	if !reachableOnce(t, takesOver, faults.LostReply(1)) {
		t.Error("the reply of an atomic step that asks is not lost")
	}
	// A request that is cancelled cannot set a lock any more, but it can believe something.
	alone := func(c *protocol.Client, reached func()) {
		if ok, err := c.Store.SetNX("turn", c.NewToken(), time.Hour); err == nil && ok {
			takesOver(c, reached)
		} else if err == nil {
			reached()
		}
	}
	if !reachable(t, alone, fault(faults.Cancel(1))) {
		t.Error("an atomic step that asks is not cancelled too late")
	}
	if reachableOnce(t, takesOver, faults.LostRequest(1)) {
		t.Error("a request that is lost takes effect")
	}
}

// An atomic step that asks in vain is refused with a remedy.
func TestAgesThatCannotBeCompared(t *testing.T) {
	for _, c := range []struct {
		name, cause string
		fn          func(*protocol.View, protocol.Token) bool
	}{
		{"no time", "carries no time", undated},
		{"too long", "longer than what Now was told", tooLong},
		{"its own", "has set", itsOwn},
		{"not positive", "is not positive", notPositive},
	} {
		_, err := scheduler.Check(t.Context(), func() scheduler.Scenario {
			s := scheduler.NewScenario(asking{c.fn})
			s.KeepZeros = true
			return s
		}(), checks.All(1), scheduler.Options{})
		if err == nil || !strings.Contains(err.Error(), c.cause) || !strings.Contains(err.Error(), "age_external_test.go:") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

type asking struct {
	fn func(*protocol.View, protocol.Token) bool
}

func (p asking) Handle(c *protocol.Client) protocol.Answer {
	protocol.Atomic(c.Store, c.NewToken(), p.fn)
	protocol.Atomic(c.Store, c.NewToken(), p.fn)
	return protocol.Empty()
}

func undated(v *protocol.View, token protocol.Token) bool {
	v.Set("k", token)
	return v.OlderThan("k", time.Second)
}

func tooLong(v *protocol.View, token protocol.Token) bool {
	if _, there := v.Get("k"); there {
		return v.OlderThan("k", 2*time.Second)
	}
	v.Set("k", token, protocol.AtNow(time.Second))
	return false
}

func itsOwn(v *protocol.View, token protocol.Token) bool {
	v.Set("k", token, protocol.AtNow(time.Second))
	return v.OlderThan("k", time.Second)
}

func notPositive(v *protocol.View, token protocol.Token) bool { return v.OlderThan("k", 0) }

// asksTwice takes a lock, and asks twice in one step how old it is, when that is at the
// border: the answers are the same.
func asksTwice(c *protocol.Client) protocol.Answer {
	token := c.NewToken()
	if ok, err := protocol.Atomic(c.Store, token, takesNow); err != nil || !ok {
		return protocol.Empty()
	}
	c.Sleep(10 * time.Second)
	if torn, err := protocol.Atomic(c.Store, token, answersDiffer); err == nil && torn {
		c.Acquired("torn")
		c.Sleep(time.Second)
	}
	return protocol.Empty()
}

func answersDiffer(v *protocol.View, _ protocol.Token) bool {
	first := v.OlderThan("lock", 10*time.Second)
	return first != v.OlderThan("lock", 10*time.Second)
}

type asksTwiceOver struct{}

func (asksTwiceOver) Handle(c *protocol.Client) protocol.Answer { return asksTwice(c) }

// One step is one instant: who asks the same once more is told the same.
func TestAnAtomicStepIsToldTheSameTwice(t *testing.T) {
	s := checks.NewScenario(asksTwiceOver{})
	s.Nodes, s.Updates = 1, 0
	torn := checks.Define(checks.Definition{
		Name: "told-the-same", Rule: "the answers are the same", Vacuous: "nobody asked",
		Check: func(v *checks.View) {
			if v.Step().Operation == "Atomic" {
				v.Exercise()
			}
			if len(v.Believers("torn")) > 0 {
				v.Violate()
			}
		},
	})
	r, err := scheduler.Check(t.Context(), s, []model.Property{torn}, scheduler.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Verdicts[0]; v.Verdict != scheduler.Holds || v.Vacuous != "" {
		t.Errorf("%s %s", v.Verdict, v.Vacuous)
	}
}
