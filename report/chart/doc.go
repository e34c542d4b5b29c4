// Package chart draws the record of a run: its latency histogram, its throttle
// histogram, what each step was offered and served, percentiles of each operation,
// response times over time, and where the load went, by partition and over time.
//
// [DrawAs] writes each chart as PNG and SVG into a folder, or those that are chosen; [Inline]
// returns one for a page with its own inks, and [Title] what it shows, which is its answer and no
// topic. The numbers behind a chart are to be had without drawing it:
// [LatencyBars] and [PercentileCurve], [ThrottleBars] and [ThrottledCauses], [WaitBars] and
// [AttemptsByOperation], [Steps], [OperationCurves], [ResponseHeat], [HeatGrid]. A drawing
// is made of nothing else, so that what holds for these numbers holds for the picture. All
// but [HeatGrid] are of reported phases alone: what prepares a run sets no scale.
//
// Beside the charts of a record there are those of retry policies, by [DrawSchedules]
// and [DrawRetries], of the nights of a scenario, by [DrawTrend], and of the designs of a
// contest, by [DrawContest] and [InlineContest].
//
// The caller owes a record as results.Read returns it. The same record always
// gives the same bytes: no clock, no chance and no order of a map takes part.
//
// The package never judges (it marks the partition target and leaves the verdict
// to others), and text of a record reaches a drawing only shortened and with what
// cannot be printed replaced.
package chart
