// Package fault says which attempts meet which fault: refusals without a cause, and
// replies that freeze, are lost, cut off or come late, by share, PartitionKey and time
// window.
//
// Write a [Plan] of [Rule] values and [Plan.Validate] it; ask [Plan.Decide]
// about each attempt at the instant it is sent; and have the [Verdict] say,
// once the instant of the reply is known, when the reply really leaves.
//
// The caller owes every attempt 64 random bits, which alone decide what shares
// it falls into, and counts time from the start of the run. A plan must not be
// altered once it is in use; then every function is pure and safe for
// concurrent use.
//
// The package never waits, drops or sends anything: whoever asks does.
package fault
