// Package protocol is the agreement of the members of a fleet with their leader on each of its runs.
//
// A [Member] sends requests and a [Leader] answers; there are no other messages. Both are step machines:
// messages and the time are arguments, and messages to send and events are returned. Each run of a series has its own
// machines, with the same places; late messages of an earlier run are acknowledged and count in no other. A message is
// JSON of at most [MaxBytes], with known fields only. A request without an answer is sent again, and a repeated request
// gets the same answer, so messages may be lost, duplicated, late and out of order. What counts is identified by
// (member, epoch, run, sequence), where the epoch is the member's process.
//
// Callers must use each machine from one goroutine at a time, with instants that never decrease.
// The package does no network access and no runs: scenarios, options and records are bytes.
package protocol
