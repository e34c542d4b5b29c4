// Package drive is the driving loop: it decides when operations are due, sends
// them, waits before retries, and has everything recorded.
//
// A [Stage] is a stretch of load: a pure [loadgen/scenarios/arrival.Schedule] (open loop) or a number of
// lanes (closed loop), the operations by number, and a retry policy. A runner,
// [Live] or [Virtual], carries a stage out: both feed the same step machine,
// [Session], one for each operation under way, and own nothing but queues and
// waiting. [Vegeta] is Live but for open loops, which vegeta's attacker sends, as a
// second opinion. [Limiters] delay the clients of a stage. Package campaign makes the stages of a scenario.
//
// The caller provides a recorder of package results, which it finishes after the last
// stage, and a target that makes one attempt per call.
//
// The package does not depend on the kind of target. Neither the number of workers nor the order in which they run
// changes the requests. Response times begin at the intended instant of an operation, not when it was sent.
package drive
