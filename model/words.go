package model

import (
	"fmt"
	"strings"
)

// Words returns the limits of a verdict, each in words: 2 nodes, latency 0s..5ms, pause 1x12s.
func (b *Bounds) Words() []string {
	requests := Count(b.Requests, "request", "requests") + " each"
	if b.Endless {
		requests += " at once, without end"
	}
	parts := []string{Count(b.Nodes, "node", "nodes"), requests}
	if b.Jobs > 0 {
		parts = append(parts, Count(b.Jobs, "job", "jobs")+" each")
	}
	for _, o := range b.Others {
		text := Count(o.Nodes, "other node", "other nodes") + " with " + o.Protocol
		if len(o.Parameters) > 0 {
			text += " (" + strings.Join(ParameterWords(o.Parameters), ", ") + ")"
		}
		parts = append(parts, text)
	}
	if b.Replicas > 1 {
		parts = append(parts, fmt.Sprintf("%d replicas", b.Replicas))
	}
	if b.ArriveWithin != nil {
		parts = append(parts, "arrivals within "+FormatDuration(*b.ArriveWithin))
	}
	updates := Count(b.Updates, "update", "updates")
	if b.Updates > 0 && b.Invalidate {
		updates += " with invalidation"
	}
	parts = append(parts, updates, "latency "+b.Latency.String(), "reply "+b.Reply.String())
	if b.ValueTTL > 0 {
		parts = append(parts, "value TTL "+FormatDuration(b.ValueTTL))
	}
	if b.Timeout != nil {
		parts = append(parts, "timeout "+FormatDuration(*b.Timeout))
	}
	for _, f := range b.Faults {
		parts = append(parts, f.Name+" "+f.Value)
	}
	if len(b.Faults) == 0 {
		parts = append(parts, "no faults")
	}
	return parts
}

// ParameterWords returns each parameter with its value: ttl 10s.
func ParameterWords(values []ParameterValue) []string {
	var parts []string
	for _, p := range values {
		parts = append(parts, p.Name+" "+p.Value)
	}
	return parts
}

// Count is a number of things in words: 1 step, 2 steps.
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Short names the line without the path: lease.go:41.
func (s *Source) Short() string {
	return fmt.Sprintf("%s:%d", s.File[strings.LastIndexByte(s.File, '/')+1:], s.Line)
}
