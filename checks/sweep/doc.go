// Package sweep asks the same of a protocol at many points: for each combination of values
// of parameters it checks every run, and simulates many. A [Plan] lists the points, [Run]
// takes those that are not done yet and appends what comes of each to a file, [Merge] puts
// the files of shards together, and a [Sweep] is what such a file holds.
//
//	axis, err := sweep.ParseAxis("ttl=1s..30s/8")
//	plan := &sweep.Plan{Protocol: "lease", Axes: []sweep.Axis{axis}, Design: sweep.Grid, Check: true}
//	s, err := sweep.Run(ctx, plan, sweep.Whole, "sweep.ndjson", task, sweep.Options{})
//
// # What is promised
//
// The points are a function of the plan, and what comes of a point one of the point: so the
// same plan gives the same bytes, for every number of workers, however often the sweep was
// interrupted, and however it was divided into shards. For that searches are limited by
// states alone: a limit of time or of memory would cut them off at different places.
//
// A file begins with a line that has the plan, and has a line for each point, of JSON. A
// line is in the file to stay once it is written: it is synchronised with the disk before the
// next one. What a killed sweep leaves behind is whole lines, and perhaps a torn one, which
// is cut off; the next run with the same plan does the other points, and no point twice. As
// long as points are missing the lines stand in the order in which points were done; then
// they are put in the order of the points, in one step (a new file that takes the name).
// Another plan is refused. The plan has everything that decides a result but the code: sweeps
// of a protocol of one's own must be begun anew when that changes.
//
// # Designs
//
// [Grid] takes every combination. [Random] takes some of them, as a Latin hypercube (McKay,
// Beckman and Conover 1979) and not independently: each axis is divided into as many equal
// parts as there are points, and each part is used once, so few points still show each axis
// over its whole length; no combination is taken twice.
//
// The package imports model, scheduler and what they import. It must never import the
// catalogue, the command line, or anything that draws: pictures are in the package plot
// below it.
package sweep
