// Package replay sends the operations of a log once more, under the keys that they had and
// under those of other designs, on the virtual clock.
//
// [Gather] reads the operations of a log, each once however often its client tried. Their
// keys are taken apart by a [Pattern], and formed anew by each [Design]. [Replay] has
// scenarios/run carry out one run for each design and profile, a scenario whose trace are
// the operations at their own times, and says what each came to.
//
// The caller owes files of a log, as package logs has them.
//
// The package sends nothing to any service, and what it cannot replay it counts:
// transactions and inserts whose key the log does not say, and queries, of which no log
// says what they would have read.
package replay
