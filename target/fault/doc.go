// Package fault is a target that fails on purpose: it stands before another
// and applies the plan of loadgen/engine/fault to each attempt.
//
// Validate the plan, then wrap: [Wrap] stands before a blocking target and
// holds replies by sleeping on the clock, [WrapImmediate] stands before an
// immediate one and moves the instant at which the reply is there. Under the
// same plan and seed both do the same to the same attempts. Afterwards
// Counts gives the attempts as their sender saw them, and Log what was done to
// them, which accounts for every difference from the inner target's books. An
// [Injector] is the plan by itself, for who says when faults begin and end, and wants
// to be told of each.
//
// The caller owes operations their numbers and attempts, from which all chance
// comes, and a clock whose instant zero is the start of the run: the plan's
// windows are counted from there.
//
// What goes beside the tables meets no fault. The package never retries and never
// alters an operation or an inner outcome.
package fault
