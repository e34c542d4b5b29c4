// Package baseline is what of a run in virtual time repeats exactly, and the file that
// later runs of the same scenario are held to.
//
// [Of] takes a run's record to a [Tree]: every count, every distribution, what load
// balancing decided, and each parameter of the model, without what differs from one
// machine or night to the next. [New] makes of it a [Baseline], [Baseline.File] the file,
// and [Read] a baseline again, which [Baseline.Fits] holds against the scenario that is
// to be compared.
//
// The caller owes records of runs that came to their end, in virtual time, and holds
// two trees against each other by their [Tree.JSON].
//
// The package never reads a file or a clock, and never calls a difference good or bad.
package baseline
