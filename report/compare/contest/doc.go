// Package contest ranks key designs by their runs and explains the ranking.
//
// [Measure] reads one run's record as a [Trial]. [Rank] turns the trials of several designs
// (each an [Arm]) into a [Contest]: an order, effect sizes with intervals, the designs that
// hold, and the reasons for the others. [Document] turns the contest into a report, [Open]
// reads one from its folder.
//
// Callers must pass runs of the same logical events, with a different seed for each run and
// the same number of trials for each arm that ran.
//
// The design that holds more checks ranks first, then the design that fails fewer. A check
// fails if it fails in half of the runs or more; it holds if it holds in all runs with a
// result, and most runs have one; otherwise it does neither. Equal designs are ordered by
// five figures in a fixed sequence, each with a share of alpha ([Contest].Tests): sustained
// rate, share lost, worst p99, entities counted and transactions billed per event.
//
// The order of two designs depends on those two alone. Each design has steps of its own
// figures, which ignore chance; B. L. Welch's test of the pair decides whether the
// difference is shown. All designs that serve the whole load share one step of the
// sustained rate. A difference below the figure's resolution is never shown, and runs are
// assumed to vary by half of the resolution, or by one operation, even if they are equal.
//
// The sentences of a contest are one table of conditions and templates, narrative.tmpl.
package contest
