// Package client is the grammar in which a scenario says how patient the program is that
// loads a table: how it tries again, how fast it sends at most, how long it pauses.
//
// Bind a retry policy with [Retry], a rate limit with [Limit], a pause between operations with
// [Pause].
//
// The caller owes no more than where to put what is read: what a policy does is up to
// loadgen/backoff, what a limit does up to loadgen/scenarios/drive.
// The package sends nothing and waits for nothing.
package client
