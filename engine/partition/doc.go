// Package partition decides whether a request is admitted, and how long the
// service works on it.
//
// Build a [Layer] from a model. For each request call [Layer.Admit] with the
// instant of its arrival, its [Place] and the entities that it counts; what a
// scan turns out to have read beyond that is owed by [Layer.Charge]. How long an
// admitted request takes is [Times.Work], a pure function of its chance.
//
// The caller owes instants that do not go back, calls from one goroutine at a
// time, and places whose strings it does not alter.
//
// The package never waits, reads no clock and draws no chance. Its accounting
// is in integers: a rate of R entities per second is R billionths of an entity
// per nanosecond, so that no allowance is ever lost to rounding.
package partition
