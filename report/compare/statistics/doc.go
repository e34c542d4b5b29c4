// Package statistics has the statistics of comparisons between runs.
//
// [Welch] compares unpaired sets of runs and [SignFlip] paired ones. [Holm] corrects several tests.
// [Detection] is the power of a test. [Divider] finds change points of a series.
// Distributions are gonum's. Sums are computed here, in order, so
// that results are the same to the last bit everywhere.
//
// Inputs must be finite. Functions are pure and safe for concurrent use, except for methods
// of a Divider. Random numbers come from a seed or a generator of the caller.
package statistics
