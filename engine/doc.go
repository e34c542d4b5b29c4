// Package engine is the embedded account: a table store behind a partition
// layer.
//
// Build one with [New], create a table with a CreateTable request, and call
// [Engine.Submit] with the instant at which each request arrives. The reply
// has the outcome and the instant at which the client receives it: the
// engine says when, it never waits. The state changes at arrival.
//
// After a cold start ranges split, move and merge underneath: [Engine.DrainEvents]
// returns the decisions with their reasons, [Engine.Map] the current ranges.
//
// A table that is deleted is gone at once. Its name is kept back for the model's
// NameDelay: until then a table of that name is refused as TableBeingDeleted.
//
// Instants must not go back by much: an instant earlier than
// the largest seen counts as that one. Submit is safe for concurrent use.
//
// The package never sleeps, opens no socket, starts no goroutine and draws no
// chance except what number, attempt and seed decide.
//
// # Faults
//
// A [FaultPlan] decides which attempts meet which fault: a refusal, or a reply that freezes, is
// lost, is cut off or is late, by share, PartitionKey and time. [FaultPlan.Validate] checks it,
// [FaultPlan.Decide] returns the [FaultVerdict] for an attempt at the time it is sent, and the
// verdict says when the reply leaves once its time is known.
//
// The caller passes 64 random bits with each attempt, which alone decide the shares it falls
// into, and counts time from the start of the run. A plan in use must not be changed; then every
// function is pure and safe for concurrent use. Plans never wait, drop or send anything.
package engine
