// Package chart draws the record of a run: its latency histogram, its throttle histogram, the offered and the served
// load of each step, percentiles of each operation, response times over time, and the load by partition over time.
//
// [Draw] writes charts as PNG and SVG into a folder. [Inline] returns one for a page that sets its colours, and
// [Title] its title, which is the result that the chart shows. All count only reported phases.
//
// The titles and sentences are worded in words.tmpl. A time axis leaves out long stretches without load and marks them as breaks.
//
// [DrawSchedules] and [DrawRetries] draw retry policies, [DrawTrend] the nights of a scenario, [DrawContest] and
// [InlineContest] the designs of a contest.
//
// A record must be as results.Read returns it. The same record always gives the same bytes: nothing depends on a
// clock, on chance or on the order of a map.
//
// The package does not judge: it marks the partition target and leaves the verdict to others. It shortens the texts of
// a record and replaces characters that cannot be printed.
package chart
