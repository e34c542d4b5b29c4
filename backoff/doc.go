// Package backoff says how long to wait before a throttled request is sent again,
// and whether to send it again at all: retry policies as pure formulas.
//
// Take a preset [ByName] or build a [Policy] from a [Delay], [Policy.Validate]
// it once, ask [Policy.Retryable] about each outcome, [Policy.RetriesAtOnce]
// whether the retry goes without a wait, and [Policy.Next] for the wait before it otherwise.
// [Policy.Bounds] says beforehand what the waits will be. A
// [Limiter] decides in addition which attempts are sent.
//
// Callers pass a chance drawn uniformly from [0, 1) for each wait: the package
// has no randomness of its own. Policies and delays are immutable once built and
// safe for concurrent use; a limiter has a state, and belongs to one client.
//
// The package never waits, reads a clock, or sends anything.
//
// The package is public: docs/go.md says what that means.
package backoff
