// Package guard says when a phase of traffic has gone on for long enough: a budget of the
// scenario is exceeded, or the load has come to rest.
//
// Make a [Guard] of what the phase offers, have it told of all attempts by the ledger, and ask
// it [Guard.Enough] now and again.
//
// It knows no clock, and ends nothing: loadgen/scenarios/drive does.
package guard
