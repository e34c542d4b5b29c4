// Package compare tells whether two builds, two runs or the nights of a series
// differ, and says how sure that is.
//
// The unit of replication is the run: the requests of one run share its machine,
// its minute and its luck, so that tests over requests call almost any two runs
// different. In order of weight:
//
//   - [Gate.Judge] is the gate of live runs. Take as many pairs of runs as wanted
//     in the [Order] that cancels drift, give each metric's pairs as a [Trial], and
//     the [Judgement] says regression, improvement, no difference shown or
//     inconclusive: an exact sign-flip permutation test on the logarithms of the
//     ratios, with Holm's correction over the metrics, and a change beyond a
//     practical threshold.
//   - [Diff] is the gate of virtual runs, which repeat exactly: it lists each value
//     in which two trees of JSON differ.
//   - [loadgen/report/compare/statistics.Welch] compares the means of runs that follow no order and are not paired, as
//     those of designs in virtual time, where no machine drifts; [loadgen/report/compare/statistics.Holm] corrects what
//     several such tests say, [loadgen/report/compare/statistics.Detection] tells how much they would have found.
//   - [ChangePoints] finds where a nightly series steps, by windowed
//     E-divisive means.
//   - [BandOf], [BandOfChange] and [ShapeOf] describe: the
//     uncertainty within a run, and how the shape of two distributions differs. No
//     run can see how much the next one will vary, so none of the three gates.
//
// The formulas: the sign-flip test is R. A. Fisher's (The Design of Experiments,
// 1935, §21), its interval J. A. Hartigan's (Using subsample values as typical
// values, 1969), the estimate J. L. Hodges and E. L. Lehmann's (1963), the
// correction S. Holm's (1979). E-divisive is by D. S. Matteson and N. A. James
// (arXiv 1306.4933), windows and merging by M. Fleming and others (Hunter, arXiv
// 2301.03034), the early end of a permutation test by J. Besag and P. Clifford
// (1991), the test of unpaired means by B. L. Welch (1947). Blocks that wrap around are by D. N. Politis and J. P. Romano (1992), the
// time of correlation with its window by A. Sokal (1997).
//
// The caller owes one figure a run, of runs that are valid and comparable, in the
// order of [Order]. All functions are pure, may be called by several goroutines at
// once, and keep nothing they are given; where they draw, it is from the seed.
//
// The package never reads a run or a clock, never tests single requests, and never
// takes the absence of proof for a proof of absence.
package compare
