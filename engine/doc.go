// Package engine is the embedded account: a table store behind a partition
// layer.
//
// Build one with [New], create a table with a CreateTable request, and call
// [Engine.Submit] with the instant at which each request arrives. The reply
// says at once what came of it and at which instant the client has it: the
// engine says when, it never waits. The state changes at arrival.
//
// After a cold start ranges split, move and merge underneath: [Engine.DrainEvents]
// tells what was done and why, [Engine.Map] what lies where.
//
// A table that is deleted is gone at once. Its name is kept back for the model's
// NameDelay: until then a table of that name is refused as TableBeingDeleted.
//
// The caller owes instants that do not go back by much: an earlier one than
// the largest seen is taken for that one. Submit is safe for concurrent use.
//
// The package never sleeps, opens no socket, starts no goroutine and draws no
// chance beyond that which number, attempt and seed decide.
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
