// Package trial puts retry policies through the same trouble, on the virtual
// clock.
//
// Describe a [Contest]: who takes part ([Named]), how many clients there are, and
// whether they meet an outage or an overload. [Contest.Run] tries one [Contestant] after
// another and ranks them, [Document] says what came of it, and [Keep] keeps that; [Schedule]
// says of a policy alone when it tries again, [Schedules] of several as a document.
//
// Each try is an [Experiment]: how many clients offer how much, before, in and after the
// trouble, and a fresh target that makes the trouble. [Experiment.Try] sends the
// operations through the driving loop's own session under one contestant. Chance comes
// from the seed and the numbers of the operations, so that every contestant meets the
// same arrivals.
//
// The caller owes a target of its own to each try.
//
// The package never waits and knows no formula of its own: what it tries are the
// policies and limiters of package backoff.
package trial
