// Package advise predicts the outcome of a scenario without running it: how each of its designs spreads
// over partitions, what each operation reads, which targets the peak reaches, and the points of the
// documents' checklist that apply.
//
// Set the targets in [Options] and call [Explain]. [Explanation.Document] is for people, and the value
// itself, as JSON, for scripts. [FromKeys] and [FromRows] judge keys that exist already.
//
// [Explain] rehearses every design: the model executes all of its operations on the virtual clock, retries
// included, by several seeds where chance may change the answer. Whether a load is sustained, how hot its
// hottest partition gets, what an operation reads and wants, and what a run costs come from the rehearsal, as
// from any run. The order of keys comes from a bounded sample of operations, as do the figures of a phase that
// the rehearsal does not reach; [InUse] returns that sample alone.
//
// The scenario must be valid. The package never sends anything to a service and never reads a clock. What
// it cannot predict it reports as such. The points of the checklist are one table of rules.
package advise
