package incident_test

import (
	"fmt"
	"os"
	"strings"

	"lockstep/checks/incident"
	"lockstep/model"
)

const monitorLog = `OK
1796068662.380156 [0 10.0.0.1:5000] "set" "lock:feed" "n0-1" "ex" "1" "nx"
1796068664.451500 [0 10.0.0.2:5000] "set" "lock:feed" "n1-1" "ex" "1" "nx"
1796068664.905930 [0 10.0.0.1:5000] "del" "lock:feed"
`

func ExampleAudit() {
	commands, err := incident.NewMonitor(strings.NewReader(monitorLog))
	if err != nil {
		panic(err)
	}
	result, err := incident.Audit(commands)
	if err != nil {
		panic(err)
	}
	for _, f := range result.Findings {
		fmt.Println(f.Lines, f.Kind)
	}
	// Output:
	// [3 4] foreign-release
	// [2 3 4] overlapping-belief
}

func ExampleAuditLogs() {
	log, err := incident.OpenLog("app.ndjson", strings.NewReader(
		`{"ts":"2026-11-30T19:57:42.3Z","node":"n0","event":"acquired","token":"a","ttl_ms":1000}
{"ts":"2026-11-30T19:57:44.4Z","node":"n1","event":"acquired","token":"b","ttl_ms":1000}
{"ts":"2026-11-30T19:57:44.9Z","node":"n0","event":"rebuild-done","token":"a"}
`), incident.Options{})
	if err != nil {
		panic(err)
	}
	result, err := incident.AuditLogs(incident.AuditOptions{Skew: incident.DefaultSkew}, log)
	if err != nil {
		panic(err)
	}
	fmt.Println(result.Findings[0].Text)
	// Output:
	// n0 (token a) acquired the lock in line 1, and n1 (token b) acquired it in line 2; yet in line 3, 500ms later, the first one still believed to hold it
}

func ExampleWriter() {
	log, err := incident.OpenLog("monitor.log", strings.NewReader(monitorLog), incident.Options{})
	if err != nil {
		panic(err)
	}
	stream, err := incident.NewWriter(os.Stdout, log)
	for err == nil {
		var e *incident.Event
		if e, err = log.Next(); err == nil {
			err = stream.Write(e)
		}
	}
	stream.Close(log.Bad(), log.Back())
	// Output:
	// {"format":"lockstep-incident","version":1,"sources":[{"file":"monitor.log","format":"monitor"}]}
	// {"time":"2026-11-30T19:57:42.380156Z","event":"command","client":"10.0.0.1:5000","command":"set","args":["lock:feed","n0-1","ex","1","nx"],"file":"monitor.log","line":2}
	// {"time":"2026-11-30T19:57:44.4515Z","event":"command","client":"10.0.0.2:5000","command":"set","args":["lock:feed","n1-1","ex","1","nx"],"file":"monitor.log","line":3}
	// {"time":"2026-11-30T19:57:44.90593Z","event":"command","client":"10.0.0.1:5000","command":"del","args":["lock:feed"],"file":"monitor.log","line":4}
	// {"event":"end","events":3}
}

func ExampleFromTrace() {
	commands := incident.FromTrace(&model.Trace{Steps: []model.TraceStep{
		{Kind: "effect", Node: "n0", Process: "n0/0", Operation: "SetNX", Key: "store/lock:feed", Arguments: []string{"#1", "10s"}, Observation: "ok"},
	}})
	c, err := commands.Next()
	fmt.Println(c.Client, c.Name, c.Args, c.Reply, err)
	// Output: n0/0 set [store/lock:feed #1 PX 10000 NX] ok <nil>
}
