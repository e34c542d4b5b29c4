// Package trial runs retry policies through the same outage or overload, on the virtual
// clock.
//
// A [Contest] names the contestants ([Named]), the number of clients, and an outage or an
// overload. [Contest.Run] tries one [Contestant] after another and ranks them, [Document]
// reports the result, and [Keep] writes it into a folder. [Schedule] returns the retry times
// of one policy, [Schedules] reports those of several.
//
// Each try is an [Experiment]: the load before, during and after the trouble, and a new
// target that causes it. [Experiment.Try] sends the operations through the session of the
// driving loop under one contestant. Random numbers come from the seed and the numbers of
// the operations, so that every contestant meets the same arrivals.
//
// Callers must pass a new target to each try. The package never waits and has no formulas:
// policies and limiters are those of package backoff.
package trial
