// Package protocol is the protocol between the members of a fleet and their leader for one run.
//
// A [Member] sends requests and a [Leader] replies; there are no other messages. Both are state machines: messages and
// the time are arguments, and they return messages to send and events. Each run of a series has its own
// machines, with the same places; late messages of an earlier run are acknowledged and not counted. A message is
// JSON of at most [MaxBytes], with known fields only. A request without a reply is sent again, and a repeated request
// gets the same reply, so messages may be lost, duplicated, late and out of order. Seconds and records are identified by
// (member, epoch, run, sequence); the epoch identifies the member's process.
//
// The schema of the messages is the tags of their fields. A leader expels a member whose message the schema does not
// allow, or that sends too many, and names it in its outcome.
//
// Callers must use each machine from one goroutine at a time, with instants that never decrease.
// The package does no network access and no runs: scenarios, options and records are bytes.
package protocol
