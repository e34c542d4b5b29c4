// Package compare decides whether runs differ, with the uncertainty of the decision.
//
// The unit of replication is the run: the requests of one run share its machine and its minute,
// so tests over requests find a difference between almost any two runs. A [Trial] has one
// [Metric] of all runs of the sides A and B, and [Gate.Judge] returns a [Finding] for each: the
// change with its interval, and whether it is a regression, an improvement, no difference shown
// or inconclusive. Runs that alternate in the [Order] that cancels drift are tested by exact
// sign flips, others by Welch's test, both on logarithms, with Holm's correction over the
// metrics and a practical threshold.
//
// [Compare] puts the question to two sets of stored runs. [Diff] lists each value in which two
// trees of JSON differ, for runs in virtual time, which repeat exactly. [ChangePoints] finds the
// steps of a nightly series, by windowed E-divisive means. A [Result] is what a gate says of one
// scenario; lists of them are a [ResultsDocument], [JUnit] and [Annotations], and have an
// [ExitCode].
//
// The formulas: the sign-flip test is R. A. Fisher's (The Design of Experiments, 1935, §21),
// its interval J. A. Hartigan's (Using subsample values as typical values, 1969), the estimate
// J. L. Hodges and E. L. Lehmann's (1963), the correction S. Holm's (1979), the test of unpaired
// means B. L. Welch's (1947). E-divisive is by D. S. Matteson and N. A. James (arXiv 1306.4933),
// windows and merging by M. Fleming and others (Hunter, arXiv 2301.03034), the early end of a
// permutation test by J. Besag and P. Clifford (1991).
//
// Callers must pass one figure per run, of valid and comparable runs. All functions are pure and
// safe for concurrent use, except for the methods of a [Set] and of [Files]; random numbers come
// from the seed. A difference that is not shown is not a proof that there is none.
package compare
