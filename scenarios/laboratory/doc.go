// Package laboratory puts retry policies through the same trouble, on the virtual
// clock.
//
// Describe an [Experiment]: how many clients offer how much, before, in and after
// the trouble, and a fresh target that makes the trouble. [Experiment.Try] sends
// the operations through the driving loop's own session under one [Contestant] and
// returns what it made of them. Chance comes from the experiment's seed and the
// numbers of the operations, so that every contestant meets the same arrivals.
//
// The caller owes a target of its own to each try.
//
// The package never waits and knows no formula of its own: what it tries are the
// policies and limiters of package backoff.
package laboratory
