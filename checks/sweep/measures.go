package sweep

import (
	"time"

	"lockstep/scheduler"
)

// Names of measurements that pictures and tables show.
const (
	MostRebuilds = "most_rebuilds"
	WaitP50      = "wait_p50_s"
	WaitP99      = "wait_p99_s"
	WaitMax      = "wait_max_s"
	StaleShare   = "stale_percent"
)

// measurement is what is measured of a run.
type measurement struct {
	name string
	of   func(*scheduler.RunResult) float64
}

// measurements are those of each run, in the order in which they are listed. Waits are in
// seconds, shares in percent of the requests that were answered; runs without an answer have
// neither.
func measurements() []measurement {
	count := func(name string, of func(*scheduler.RunResult) int) measurement {
		return measurement{name, func(r *scheduler.RunResult) float64 { return float64(of(r)) }}
	}
	wait := func(name string, of func(scheduler.Waits) time.Duration) measurement {
		return measurement{name, scheduler.MeanWait(of)}
	}
	return []measurement{
		count("expiries", func(r *scheduler.RunResult) int { return len(r.RebuildsPerExpiry) }),
		count("rebuilds", func(r *scheduler.RunResult) int { return r.Rebuilds }),
		count(MostRebuilds, (*scheduler.RunResult).MostRebuilds),
		count("concurrent_rebuilds", func(r *scheduler.RunResult) int { return r.ConcurrentRebuilds }),
		{"store_commands", func(r *scheduler.RunResult) float64 { return float64(r.Commands) }},
		wait(WaitP50, func(w scheduler.Waits) time.Duration { return w.P50 }),
		wait(WaitP99, func(w scheduler.Waits) time.Duration { return w.P99 }),
		wait("wait_p999_s", func(w scheduler.Waits) time.Duration { return w.P999 }),
		wait(WaitMax, func(w scheduler.Waits) time.Duration { return w.Max }),
		count("fresh", func(r *scheduler.RunResult) int { return r.Answers.Fresh }),
		count("outdated", func(r *scheduler.RunResult) int { return r.Outdated }),
		count("stale", func(r *scheduler.RunResult) int { return r.Answers.Stale }),
		{StaleShare, scheduler.OfAnswers(func(r *scheduler.RunResult) float64 {
			return float64(100*r.Answers.Stale) / float64(r.Answered)
		})},
		count("default", func(r *scheduler.RunResult) int { return r.Answers.Default }),
		count("empty", func(r *scheduler.RunResult) int { return r.Answers.Empty }),
		count("failed", func(r *scheduler.RunResult) int { return r.Answers.Failed }),
		count("lost", func(r *scheduler.RunResult) int { return r.Lost }),
		count("unanswered", func(r *scheduler.RunResult) int { return r.Unanswered }),
		count("not_arrived", func(r *scheduler.RunResult) int { return r.NotArrived }),
	}
}
