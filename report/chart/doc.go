// Package chart draws the record of a run: its latency histogram, its throttle histogram, the offered and the served
// load of each step, percentiles of each operation, response times over time, and the load by partition over time.
//
// [Figures] returns the charts of a record, [Contest] those of several designs, [Schedules] and [Retries] those of retry
// policies, and [Trend.Figure] the nights of a scenario. [Save] writes figures as PNG and SVG into a folder, and
// [Figure.Inline] returns one for a page that sets its colours. All count only reported phases.
//
// The titles and sentences are in words.tmpl. A time axis leaves out long stretches without load and marks them as breaks.
//
// A record must be as results.Read returns it. The same record always gives the same bytes: nothing depends on a
// clock, on chance or on the order of a map.
//
// The package does not judge: it marks the partition target and leaves the verdict to others. It shortens the texts of
// a record and replaces characters that cannot be printed.
package chart
