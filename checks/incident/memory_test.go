package incident

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"
)

// generated is a log of so many rounds that nobody has to hold in memory.
type generated struct {
	rounds, round int
	write         func(round int) string
	rest          string
	// peak is the most memory that was in use, as seen now and then while it is read.
	peak uint64
}

func (g *generated) Read(p []byte) (int, error) {
	if g.rest == "" {
		if g.round == g.rounds {
			return 0, io.EOF
		}
		if g.round++; g.round%(g.rounds/8) == 0 {
			runtime.GC()
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			g.peak = max(g.peak, now.HeapAlloc)
		}
		g.rest = g.write(g.round)
	}
	n := copy(p, g.rest)
	g.rest = g.rest[n:]
	return n, nil
}

// commandsOfRound are lines of MONITOR in which everything is new: the lock, its token, the
// clients, the value; some lock is never released, some is lost, and somebody is refused.
func commandsOfRound(i int) string {
	at := func(ms int) string { return fmt.Sprintf("%d.%03d000 [%d", 1700000000+i, ms, i%3) }
	text := at(1) + fmt.Sprintf(" a:%d] \"get\" \"value:%d\"\n", i, i) +
		at(2) + fmt.Sprintf(" a:%d] \"set\" \"lock:%d\" \"t%d\" \"nx\" \"px\" \"400\"\n", i, i, i) +
		at(3) + fmt.Sprintf(" b:%d] \"set\" \"lock:%d\" \"u%d\" \"nx\" \"px\" \"400\"\n", i, i, i) +
		at(4) + fmt.Sprintf(" a:%d] \"get\" \"source:%d\"\n", i, i) +
		at(300+i%2*300) + fmt.Sprintf(" a:%d] \"set\" \"value:%d\" \"v%d\"\n", i, i, i)
	if i%5 != 0 {
		text += at(700) + fmt.Sprintf(" a:%d] \"eval\" \"release\" \"1\" \"lock:%d\" \"t%d\"\n", i, i, i)
	}
	// One value is stored by everybody, under one lock.
	return text + at(800) + fmt.Sprintf(" c:%d] \"set\" \"lock\" \"w%d\" \"nx\" \"px\" \"100\"\n", i, i) +
		at(801) + fmt.Sprintf(" c:%d] \"get\" \"source\"\n", i) + at(802) + fmt.Sprintf(" c:%d] \"set\" \"value\" \"v%d\"\n", i, i)
}

func eventsOfRound(i int) string {
	at := func(ms int) string {
		return time.Unix(1700000000+int64(i), int64(ms)*1e6).UTC().Format(time.RFC3339Nano)
	}
	text := ""
	for k, event := range []string{"request", "acquired", "rebuild-start", "rebuild-done", "stored", "release", "hit"} {
		if event == "release" && i%5 == 0 {
			continue
		}
		text += fmt.Sprintf(`{"ts":%q,"node":"n%d","req":"r%d","event":%q,"key":"lock:%d","token":"t%d","ttl_ms":400,"version":%d}`+"\n", at(k*100), i%7, i, event, i%50+i/10, i, i%9)
	}
	return text
}

// peakOf is the most memory that reading a log of so many rounds needs.
func peakOf(t *testing.T, rounds int, write func(int) string, read func(*Log) error) uint64 {
	t.Helper()
	runtime.GC()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	g := &generated{rounds: rounds, write: write}
	l, err := OpenLog("generated", g, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := read(l); err != nil {
		t.Fatal(err)
	}
	if l.Bad().Count > 0 || l.Events < 5*rounds {
		t.Fatalf("%d events, %+v", l.Events, l.Bad())
	}
	return max(g.peak, before.HeapAlloc) - before.HeapAlloc
}

// constant checks that twenty times the input takes no more memory.
func constant(t *testing.T, rounds int, write func(int) string, read func(*Log) error) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long logs")
	}
	peakOf(t, rounds, write, read)
	once, often := peakOf(t, rounds, write, read), peakOf(t, 20*rounds, write, read)
	t.Logf("%d kB, and %d kB for twenty times the input", once/1024, often/1024)
	if often > once+once/2+1<<20 {
		t.Errorf("%d kB, and %d kB for twenty times the input", once/1024, often/1024)
	}
}

// Logs of any length are audited in constant memory, however many keys, tokens, clients and
// requests there are in them: here with low limits, that a short log reaches.
func TestTheAuditTakesConstantMemory(t *testing.T) {
	low := limits{keys: 1000, locks: 200, waiting: 50, kept: 500, values: 200}
	audit := func(l *Log) error {
		r, err := auditEvents(l, AuditOptions{}, low)
		if err == nil && r.Dropped+r.Forgotten == 0 {
			err = fmt.Errorf("nothing is said to be forgotten: %+v", r)
		}
		return err
	}
	constant(t, 1000, commandsOfRound, audit)
	constant(t, 1000, eventsOfRound, audit)
}

// Logs of any length are imported in constant memory.
func TestTheImportTakesConstantMemory(t *testing.T) {
	for _, write := range []func(int) string{commandsOfRound, eventsOfRound} {
		constant(t, 1000, write, func(l *Log) error {
			w, err := NewWriter(io.Discard, l)
			events := Merge(l)
			for err == nil {
				var e *Event
				if e, err = events.Next(); err == nil {
					err = w.Write(e)
				}
			}
			if err == io.EOF {
				err = w.Close(l.Bad(), l.Back())
			}
			return err
		})
	}
}
