// Package trial compares retry policies in the same outage or overload, in virtual time.
//
// A [Contest] names the policies ([Named]), the number of clients, and an outage or an overload.
// [Contest.Run] runs the policies one after another, each against a new target, and ranks them.
// [Document] reports the result, [Keep] writes it into a folder. [Schedule] returns the retry
// times of a policy, [Schedules] reports those of several.
//
// Random numbers depend on the seed and the numbers of the operations, so that all policies have
// the same arrivals. The package never waits. Policies and limiters are those of package backoff.
package trial
