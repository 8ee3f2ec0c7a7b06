package incident_test

import (
	"bytes"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"lockstep/checks/incident"
)

func verdict(t *testing.T, object, text string) *incident.Verdict {
	t.Helper()
	h, err := incident.ReadHistory(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	v, err := h.Check(object, 0)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Histories as Jepsen writes them, each with a verdict on paper. What failed had no effect,
// and what is not known may have had one, at any time.
func TestHistoriesAreJudged(t *testing.T) {
	for name, c := range map[string]struct {
		object, text string
		want         bool
	}{
		"a read of what was written": {"register", `
			{:process 0, :type :invoke, :f :write, :value 1}
			{:process 0, :type :ok, :f :write, :value 1}
			{:process 1, :type :invoke, :f :read, :value nil}
			{:process 1, :type :ok, :f :read, :value 1}`, true},
		"a stale read": {"register", `
			{:process 0, :type :invoke, :f :write, :value 1}
			{:process 0, :type :ok, :f :write, :value 1}
			{:process 1, :type :invoke, :f :read, :value nil}
			{:process 1, :type :ok, :f :read, :value nil}`, false},
		"a write that may have happened": {"register", `
			[{:process 0, :type :invoke, :f :write, :value 1}
			 {:process 0, :type :info, :f :write, :value 1, :error "timeout; \"late\""}
			 {:process 1, :type :invoke, :f :read}, {:process 1, :type :ok, :f :read, :value nil}
			 {:process 1, :type :invoke, :f :read}, {:process 1, :type :ok, :f :read, :value 1}]`, true},
		"a write that failed": {"register", `
			{:process 0, :type :invoke, :f :write, :value 1}
			{:process 0, :type :fail, :f :write, :value 1}
			{:process 1, :type :invoke, :f :read}
			{:process 1, :type :ok, :f :read, :value 1}`, false},
		"a compare-and-set": {"register", `
			#jepsen.history.Op{:process 0, :type :invoke, :f :cas, :value [nil 2]} ; a comment
			#jepsen.history.Op{:process 0, :type :ok, :f :cas, :value [nil 2]}
			#_{:process 5, :type :ok, :f :read, :value 7}
			{:process :nemesis, :type :info, :f :kill, :value #{"n1" "n2"}}
			{:process 0, :type :invoke, :f :read, :value nil}
			{:process 0, :type :ok, :f :read, :value 2}`, true},
		"two hold the mutex": {"mutex", `
			{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
			{:process 1, :type :invoke, :f :acquire} {:process 1, :type :ok, :f :acquire}`, false},
		"an acquisition may have failed": {"mutex", `
			{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
			{:process 1, :type :invoke, :f :acquire} {:process 1, :type :info, :f :acquire}`, true},
		"a release of what is free may have failed": {"mutex", `
			{:process 0, :type :invoke, :f :release} {:process 0, :type :info, :f :release}`, true},
		"a release may have happened": {"mutex", `
			{:process 0, :type :invoke, :f :acquire} {:process 0, :type :ok, :f :acquire}
			{:process 0, :type :invoke, :f :release}
			{:process 1, :type :invoke, :f :acquire} {:process 1, :type :ok, :f :acquire}`, true},
		"a lost update": {"counter", `
			{:process 0, :type :invoke, :f :add, :value 1} {:process 0, :type :ok, :f :add, :value 1}
			{:process 1, :type :invoke, :f :add, :value 2} {:process 1, :type :ok, :f :add, :value 2}
			{:process 1, :type :invoke, :f :read} {:process 1, :type :ok, :f :read, :value 2}`, false},
	} {
		v := verdict(t, c.object, c.text)
		if v.Linearizable == nil || *v.Linearizable != c.want || v.Bad.Count != 0 {
			t.Errorf("%s: %+v", name, v)
		}
		var page bytes.Buffer
		if err := v.Visualize(&page); err != nil || !strings.Contains(page.String(), "<html") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is wrong with a history is said with its line.
func TestWhatIsWrongWithAHistoryIsSaid(t *testing.T) {
	h, err := incident.ReadHistory(strings.NewReader(`{:process 0, :type :ok, :f :read}
{:process 0, :type :invoke, :f :read}
{:process 0, :type :invoke, :f :write}
7
{:process 0, :type :done, :f :read}
{:process 1, :type :invoke}
{:process 1, :type :invoke, :f "read`))
	if err != nil {
		t.Fatal(err)
	}
	var lines []int
	for _, b := range h.Bad.First {
		lines = append(lines, b.Line)
	}
	if fmt.Sprint(lines) != "[1 3 4 5 6]" || h.Bad.Count != 6 {
		t.Errorf("%v, %+v", lines, h.Bad)
	}
	if _, err := h.Check("mutex", 0); err == nil || !strings.Contains(err.Error(), "line 2: a mutex has no operation :read") {
		t.Error(err)
	}
	if _, err := h.Check("queue", 0); err == nil || !strings.Contains(err.Error(), "register, mutex, counter") {
		t.Error(err)
	}
}

// A history that was made by a register, with pauses between call, effect and return, is
// always linearizable, whatever becomes unknown.
func TestWhatARegisterDoesIsLinearizable(t *testing.T) {
	for seed := range int64(200) {
		r := rand.New(rand.NewSource(seed))
		var b strings.Builder
		value := "nil"
		type call struct{ f, in, out string }
		under := map[int]*call{}
		for range 40 {
			p := r.Intn(4)
			c := under[p]
			switch {
			case c == nil:
				c = &call{f: "read", in: "nil"}
				if r.Intn(2) == 0 {
					c.f, c.in = "write", fmt.Sprint(r.Intn(3))
				}
				under[p] = c
				fmt.Fprintf(&b, "{:process %d, :type :invoke, :f :%s, :value %s}\n", p, c.f, c.in)
			case c.out == "":
				if c.out = value; c.f == "write" {
					value, c.out = c.in, c.in
				}
			default:
				kind := "ok"
				if r.Intn(5) == 0 {
					kind = "info"
				}
				fmt.Fprintf(&b, "{:process %d, :type :%s, :f :%s, :value %s}\n", p, kind, c.f, c.out)
				delete(under, p)
			}
		}
		if v := verdict(t, "register", b.String()); v.Linearizable == nil || !*v.Linearizable {
			t.Fatalf("seed %d:\n%s", seed, b.String())
		}
	}
}

// Whatever the input, reading a history ends.
func FuzzHistory(f *testing.F) {
	f.Add([]byte(`[{:process 0, :type :invoke, :f :write, :value [1 #{2} "x\n"]} ; c
#_ {} #t 5 (1 2) \a 3.5M 7N ##Inf]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		h, err := incident.ReadHistory(bytes.NewReader(text))
		if err == nil && len(h.Operations) > len(text) {
			t.Error("there are more operations than bytes")
		}
	})
}
