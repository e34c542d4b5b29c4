// Package runs is two sets of runs, side by side.
//
// Make a [Side] of each, [Side.Add] the records of its runs, and take both to [Of]. The
// [Comparison] has a verdict in a sentence or two, a warning for whatever is not the same on
// both sides, every figure of every phase and operation, and says of each between which
// bounds it changed where the runs can tell: [Comparison.Document] says all of it.
//
// What may be said goes by what there is. Pairs of valid runs that were taken in turn are
// judged by the gate of package compare, over at most three figures of the whole; all other
// figures have the interval and the p that they would have alone. Of one run a side the
// bands within the run are shown, and prove nothing: the unit is the run. Runs in virtual
// time of one scenario are compared value by value besides, for they repeat exactly.
//
// The caller owes records as results.Read returns them. A record that was cut off
// beforehand takes part with its whole seconds.
//
// The package never reads a file or a clock, and does not know which machine a run was on
// beyond what its record says: two machines of one make are one to it.
package runs
