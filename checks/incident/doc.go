// Package incident reads what stores and their clients have recorded of an incident, and says
// what the recordings prove: no model of the protocol is needed for that.
//
// [OpenLog] reads a log of any format event by event in constant memory: what MONITOR of a Redis
// server prints ([Monitor]), what applications log ([Mapping]), histories of Jepsen, traces of
// Lockstep ([FromTrace]), and the normalized stream that [Writer] writes. [Merge] brings several
// into one order.
//
// [AuditLogs] reconstructs what the store did, which MONITOR does not print, and what the
// applications believed, and reports what violates a rule of locks, with line numbers:
//
//	log, err := incident.OpenLog("monitor.log", file, incident.Options{})
//	...
//	result, err := incident.AuditLogs(incident.AuditOptions{Skew: incident.DefaultSkew}, log)
//	for _, f := range result.Findings {
//		fmt.Println(f.Kind, f.Lines, f.Text)
//	}
//
// [Audit] does that for commands alone. [HistoryOf] makes a history of events, which
// [History.Check] checks for linearizability.
//
// The package imports nothing of Lockstep but model, for its formats, and
// checks/confirm/command, for what operations are as commands. It must never import scheduler or
// protocol: an audit holds whatever the deployed protocol is.
package incident
