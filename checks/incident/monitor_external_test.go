package incident_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"

	"lockstep/checks/incident"
)

// all reads every command.
func all(t testing.TB, r io.Reader) ([]incident.Command, *incident.Monitor) {
	t.Helper()
	m, err := incident.NewMonitor(r)
	if err != nil {
		t.Fatal(err)
	}
	var commands []incident.Command
	for {
		c, err := m.Next()
		if errors.Is(err, io.EOF) {
			return commands, m
		}
		if err != nil {
			t.Fatal(err)
		}
		commands = append(commands, *c)
	}
}

// What the server quotes is read as it was sent; a script's commands are those of its caller.
func TestMonitorReadsWhatTheServerPrints(t *testing.T) {
	text := "OK\n" +
		`1796068672.611210 [0 127.0.0.1:49154] "SET" "lock:a b" "q\"\\\n\r\t\a\b\x00\xff" "nx"` + "\n" +
		`1796068672.7 [3 unix:/run/redis.sock] "eval" "return 1" "0"` + "\r\n" +
		`1796068672.5 [3 lua] "get" "x"` + "\n" +
		`1796068673.000001 [0 [::1]:6000] "ping"`
	commands, m := all(t, strings.NewReader(text))
	if len(commands) != 4 || m.Bad.Count != 0 || m.Back != 1 {
		t.Fatalf("%d commands, %+v, %d times back", len(commands), m.Bad, m.Back)
	}
	first := commands[0]
	if first.Line != 2 || first.Name != "set" || !reflect.DeepEqual(first.Args, []string{"lock:a b", "q\"\\\n\r\t\a\b\x00\xff", "nx"}) || first.Time.UnixMicro() != 1796068672611210 {
		t.Errorf("%+v", first)
	}
	if c := commands[2]; !c.Script || c.Client != "unix:/run/redis.sock" || c.DB != 3 {
		t.Errorf("%+v", c)
	}
	if c := commands[3]; c.Client != "[::1]:6000" || c.Line != 5 {
		t.Errorf("%+v", c)
	}
}

// A bad line is counted and shown with its number, and the next one is read.
func TestBadLinesAreShownAndPassedOver(t *testing.T) {
	text := `hello` + "\n" +
		`1.0 [0 a:1] "get" "x` + "\n" +
		`x.0 [0 a:1] "get"` + "\n" +
		`1.0 [0 a:1] get x` + "\n" +
		`1.0 [0 a:1] "\xzz"` + "\n" +
		`1.0 [zero a:1] "get"` + "\n" +
		`1.0 [0 a:1] "` + strings.Repeat("x", 2<<20) + `"` + "\n" +
		`1.0 [0 a:1] "get" "x"` + "\n" +
		`1.0 [0 a:1] "get" "\`
	commands, m := all(t, strings.NewReader(text))
	if len(commands) != 1 || commands[0].Line != 8 {
		t.Errorf("%+v", commands)
	}
	if m.Bad.Count != 8 || len(m.Bad.First) != 5 || m.Bad.First[1].Line != 2 || !strings.Contains(m.Bad.First[1].Why, "cut off") {
		t.Errorf("%+v", m.Bad)
	}
}

// A recording may be packed, and the packed file be cut off.
func TestMonitorReadsGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for range 1000 {
		io.WriteString(w, `1.0 [0 a:1] "get" "x"`+"\n")
	}
	w.Close()
	commands, m := all(t, bytes.NewReader(packed.Bytes()))
	if len(commands) != 1000 || m.Bad.Count != 0 {
		t.Errorf("%d commands, %+v", len(commands), m.Bad)
	}
	commands, m = all(t, bytes.NewReader(packed.Bytes()[:packed.Len()-20]))
	if m.Bad.Count == 0 || len(commands) > 1000 {
		t.Errorf("%d commands, %+v", len(commands), m.Bad)
	}
	if _, err := incident.NewMonitor(strings.NewReader("\x1f\x8bxx")); err == nil {
		t.Error("what is no gzip file is read")
	}
}

// Whatever the input, reading it ends, and every line is a command, empty or bad.
func FuzzMonitor(f *testing.F) {
	f.Add([]byte("OK\n" + `1.5 [0 127.0.0.1:1] "set" "a" "\x01\"" "nx"` + "\n"))
	f.Add([]byte(`1 [0 lua] "get" "x"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := incident.NewMonitor(bytes.NewReader(text))
		if err != nil {
			return
		}
		for range len(text) + 1 {
			if _, err := m.Next(); err != nil {
				return
			}
		}
		t.Error("it does not end")
	})
}
