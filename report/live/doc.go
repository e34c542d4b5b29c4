// Package live measures a run while it is in progress: how much it serves of what it offers, how long that takes, how
// much is throttled, and which partitions are the hottest, over the last few whole seconds.
//
// A [Stats] reads counts, response times and the load of partitions from the run's recorder, see [Stats.Read], and from
// the members of a fleet that sends in its place. It has no clock: instants are those of the run, real or virtual, since
// its start.
//
// All methods of a Stats are safe for concurrent use, and its memory is bounded. The load of a partition is a lower bound,
// exact for the heaviest. A Stats belongs to one run.
//
// It never fails, and keeps nothing but the names of phases, and of members and their labels.
package live
