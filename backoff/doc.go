// Package backoff says how long to wait before a refused request is sent again,
// and whether to send it again at all: retry policies as pure formulas.
//
// Take a preset [ByName] or build a [Policy] from a [Delay], [Policy.Validate]
// it once, ask [Policy.Retryable] about each outcome, [AtOnce] whether the retry
// goes without a wait, and [Policy.Wait] for the wait before it otherwise.
// [Exponential.Bounds] says beforehand what the waits will be.
//
// The caller owes every wait a chance drawn uniformly from [0, 1): the package
// has no randomness of its own. Every value is immutable once built and safe
// for concurrent use.
//
// The package never waits, reads a clock, sends or counts anything.
package backoff
