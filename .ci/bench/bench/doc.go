// Package bench measures the cost of this tool and of comparable tools, in rounds that take
// turns.
//
// Fill in [Options] and [Measure]: each group that was asked for ([Groups]) has its cells
// measured once a round, those that are compared one after another, in an order that rotates.
// The result is a [Report]: figures, ratios of those that were measured in the same
// rounds with their intervals, and their [Aims]. [Report.Document] renders it,
// [Read] reads it back, and [Report.Held] holds another one to it.
//
// CPU is the unit: how fast a machine is that others use as well changes from second to second,
// what an operation costs hardly does. A server is a process of its own, this program's: its CPU
// is not that of who loads it. [ServeBare] is the other side of the comparison, the least that
// net/http needs to give the very replies.
//
// Options must be valid by [Options.Validate], and the caller cancels the context to
// end early. All load stays on this machine. Every process that was started has ended when
// Measure returns.
package bench
