// Package advise says what a scenario comes to before anything runs: how each of its
// designs would lie over partitions, what each operation would read, which targets a
// peak would meet, and which points of the documents' checklist it touches.
//
// Describe the targets in [Options] and call [Explain]; [Explanation.Document] is for
// people, and the value itself, as JSON, for scripts. [FromKeys] does as much as can
// be done with keys that somebody has already.
//
// [Explain] rehearses every design: the model carries out all of its operations on the
// virtual clock, retries included, and by several seeds where chance may turn the answer.
// Whether a load is sustained, how hot its hottest partition gets and what a run asks of its
// target are read from that, as from any run. How keys lie, and what each operation reads,
// is told from a bounded sample; [InUse] gives that alone.
//
// The caller owes a scenario that was found valid. The package never sends anything to a
// service, never reads a clock, and never guesses: what it cannot tell it says.
package advise
