// Package arrival says when operations are due, whatever becomes of those before
// (open loop).
//
// Build a [Schedule] of constant rates ([Steps]), a [Ramp], a [Burst] or a [Sine],
// with its operations at random places of their slots ([Jittered]), of random
// arrivals ([Poisson]) or of recorded ones ([ReadTrace]); hand it to the driving
// loop as part of a stage, and it returns the intended instant of each
// operation by its number. Chance comes from a stream of package clock, by that
// number, so that a schedule is the same however often and in whatever order it is
// asked.
//
// Numbers must be below the schedule's length.
//
// The package never waits, reads no clock and is independent of the operations sent.
package arrival
