// Package targettest is the conformance suite that every target passes: what a
// table does with single writes, conditions, transactions, queries by key range
// and odd keys, what counts as an entity, and that the books close.
//
// In the test of a target, call [Run] with a function that opens a fresh
// [Subject]: [Live] makes one of a blocking target and [Virtual] of an immediate
// one, so that one suite runs both faces. [Checks] is the suite as a list, for
// who wants to run a part of it or to see it fail.
//
// The caller owes a subject that nobody else uses while a check runs, since
// each check also compares the target's books with its own.
//
// The suite works in tables of its own, one for each check, and deletes them.
// It expects of a target only what package target and the service's documents
// promise, and never sleeps except, on a subject that throttles, to retry what
// was throttled.
package targettest
