// Package bounds limits what the replies under way hold of this process's memory, all of
// them together, whoever sends them.
//
// A [Budget] is shared by all clients of a run. Each reply has a [Share] of it: what it
// takes up to [Allowance] is its own and asks nobody, so that a reply of ordinary size is
// never delayed by others; what it takes beyond is taken from the budget. Where that is
// spent, a reply waits until others give back, in the order of asking, and until its
// attempt is ended at the latest.
//
// Nobody waits for ever: one reply at a time, the one that has waited longest, is the heir
// and is given all that it asks for, out of a reserve. It ends by its own length or by the
// time of its attempt, and the next is heir. So replies that are endless, or long and slow,
// hold up others that are long, but no two wait for each other.
//
// Whoever has a share owes it a Leave when the reply is done with. The package knows no
// time and starts no goroutine.
package bounds
