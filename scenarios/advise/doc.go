// Package advise says what a scenario comes to before anything runs: how each of its
// designs would lie over partitions, what each operation would read, which targets a
// peak would meet, and which points of the documents' checklist it touches.
//
// Describe the targets in [Options] and call [Explain]; [Explanation.Document] is for
// people, and the value itself, as JSON, for scripts. [FromKeys] does as much as can
// be done with keys that somebody has already.
//
// It walks over a bounded sample of the very operations that a run would send. All
// numbers are derived: they follow from the documents' counting rule and from what is
// offered, whatever a target makes of it.
//
// The caller owes a scenario that was found valid. The package never sends anything,
// never reads a clock, and never guesses: what it cannot tell it says.
package advise
