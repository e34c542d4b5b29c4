// Package contest says which of several key designs is best, by how much, and why.
//
// Each design (an [Arm]) has been run several times with seeds of its own: [Measure]
// takes from each run's record what designs are ranked by, as a [Trial], and [Rank]
// makes a [Contest] of the arms: an order, effect sizes with intervals, a verdict that may
// be that no difference is shown, and the reason for which a loser lost.
//
// The caller owes runs of the same logical events, with seeds that no two runs share, and
// the same number of trials for each arm that could be run.
//
// Who holds more checks comes first, then who fails fewer: a check that fails in half of the
// runs or more fails, one that holds in all that can tell, and those are most, holds, and any other has done neither. Designs equal
// in that are told apart by five figures in a fixed sequence, each with its share of
// alpha ([Contest].Tests): the sustained rate, the share lost, the worst p99, and what an
// event counts and bills. What is said of two designs rests on those two alone, so that no
// third turns their order: each has its place by steps of its own figures, in which chance does not
// count, and B. L. Welch's test of the pair says whether that is shown. All that serve what
// is asked are in one step of the sustained rate. A difference below the figure's resolution
// is never told, so that constants cannot differ by a rounding, and runs are taken to vary by half of that,
// or by one operation, at least, so that few that come out alike are not sure of anything.
// Where no design holds the checks nobody wins.
//
// What an event counts and bills is of operations that succeeded. [Document] says what came
// of it, and [Read] takes back the contest that its JSON is.
//
// [Open] reads one that is kept in a folder, which has its page and its pictures.
//
// The package runs nothing. What it computes does not depend on the
// order of the arms.
package contest
