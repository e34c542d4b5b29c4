// Package drive is the driving loop: it decides when operations are due, sends
// them, waits before retries, and has everything recorded.
//
// A [Stage] is a stretch of load: a pure [loadgen/scenarios/arrival.Schedule] (open loop) or a number of
// lanes (closed loop), the operations by number, and a retry policy. A runner,
// [Live] or [Virtual], carries a stage out: both feed the same step machine,
// [Session], one for each operation under way, and own nothing but queues and
// waiting. [Vegeta] is Live but for open loops, which vegeta's attacker sends, as a
// second opinion. [Limiters] hold the clients of a stage back. Which stages a scenario
// comes to is package campaign's.
//
// The caller owes a recorder of package results that is finished after the last
// stage, and a target that makes one attempt a call.
//
// The package never knows which target it drives, never lets the number of
// workers or the order in which they run change what is sent, and never counts
// an operation from the moment at which it was sent: response times run from
// the intended instant.
package drive
