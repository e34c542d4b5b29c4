// Package runs compares two runs, or two sets of runs.
//
// Make a [Side] of each, [Side.Add] the records of its runs, and [Compare] both. A
// [Comparison] has a verdict, warnings about anything that differs between the sides, every
// figure of every phase and operation with its interval if there are enough runs, and a
// [Comparison.Document].
//
// The evidence decides what is reported. The gate of package compare judges pairs of valid
// runs that alternate, by at most three figures of all operations; the interval and p of
// other figures are uncorrected. Single runs have only within-run bands, on which no verdict is
// based: the unit is the run. Runs of one scenario in virtual time are also compared value by
// value, since they repeat exactly.
//
// Records are as results.Read returns them. Only whole seconds of a truncated record are
// compared. The package reads no file and no clock, and identifies a machine only by what its
// record says.
package runs
