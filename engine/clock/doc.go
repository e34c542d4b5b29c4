// Package clock is the only way for time and random numbers to enter the program.
//
// Use it in this order: build a [Real] clock where load is live, or a [Virtual]
// one where a single goroutine decides what time it is; hand instants down as
// arguments; keep future events in a [Queue], and wait for them with a [Sleeper]
// if milliseconds matter; and draw chance from a [Stream], a pure function of
// seed, stream name, number and attempt.
//
// Give each stream a name of its own and each draw a number with a meaning (an
// operation, an entity), so that draws depend neither on the number of workers nor
// on their order.
//
// A [TimeColumn] reads the times of a file, in any of the notations that programs write.
//
// The package never keeps a global clock or a global source of randomness, and
// nothing outside it reads the machine's time.
package clock
