// Package protocol is how the members of a fleet agree with their leader on each of its runs.
//
// A [Member] asks and a [Leader] answers; nobody else speaks. Both are step machines:
// what came in and what time it is are arguments, and what is to be sent and what has
// happened are returned. Of a series each run has machines of its own, in the same places: what
// comes late of an earlier run is answered by that, and counts in no other. A message is JSON of at most [MostBytes], read strictly. Whatever
// is not answered is asked again, and whatever is asked again is answered as before, so
// that messages may be lost, doubled, late and out of order: the authority of what counts
// is (member, epoch, run, sequence), where the epoch is the member's process.
//
// The caller owes each machine one goroutine at a time and instants that never go back.
// The package knows no network and no run: scenarios, options and records are bytes to it.
package protocol
