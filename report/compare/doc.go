// Package compare decides whether two builds, two runs or the nights of a series
// differ, with the uncertainty of the decision.
//
// The unit of replication is the run: the requests of one run share its machine
// and its minute, so tests over requests find a difference between almost any two
// runs. In order of weight:
//
//   - [Gate.Judge] is the gate of live runs. Run pairs in the [Order] that cancels
//     drift and pass each metric's pairs as a [Trial]. The [Judgement] is
//     regression, improvement, no difference shown or inconclusive, by an exact
//     sign-flip permutation test on the logarithms of the ratios, with Holm's
//     correction over the metrics and a practical threshold.
//   - [Diff] is the gate of virtual runs, which repeat exactly: it lists each value
//     in which two trees of JSON differ.
//   - [loadgen/report/compare/statistics.Welch] compares the means of runs without
//     pairs, such as designs in virtual time, where no machine drifts.
//     [loadgen/report/compare/statistics.Holm] corrects several such tests,
//     [loadgen/report/compare/statistics.Detection] returns their power.
//   - [ChangePoints] finds the steps of a nightly series, by windowed E-divisive
//     means.
//   - [BandOf], [BandOfChange] and [ShapeOf] describe the uncertainty within a run
//     and the difference of two distributions. No run shows how much the next one
//     varies, so none of the three gates.
//
// The formulas: the sign-flip test is R. A. Fisher's (The Design of Experiments,
// 1935, §21), its interval J. A. Hartigan's (Using subsample values as typical
// values, 1969), the estimate J. L. Hodges and E. L. Lehmann's (1963), the
// correction S. Holm's (1979). E-divisive is by D. S. Matteson and N. A. James
// (arXiv 1306.4933), windows and merging by M. Fleming and others (Hunter, arXiv
// 2301.03034), the early end of a permutation test by J. Besag and P. Clifford
// (1991), the test of unpaired means by B. L. Welch (1947). Circular blocks are by
// D. N. Politis and J. P. Romano (1992), the correlation time and its window by
// A. Sokal (1997).
//
// Callers must pass one figure per run, of valid and comparable runs, in the order
// of [Order]. All functions are pure, safe for concurrent use, and retain no
// arguments; random numbers come from the seed.
//
// The package reads no run and no clock and tests no single requests. A difference
// that is not shown is not a proof that there is none.
package compare
