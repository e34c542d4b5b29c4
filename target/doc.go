// Package target defines the targets of load: an operation in, an outcome out.
//
// A [Target] blocks until the outcome is there, for live load; an [Immediate] returns the outcome and its time at once,
// for simulations. One call is one attempt: no target retries. The [loadgen/results.Class] of the [Outcome] says whether
// the attempt succeeded, was throttled, or failed.
//
// A [Query] asks for one page. What its filter drops was scanned, and counts, all
// the same. The [Token] of a page leads to the next, in this process or, as text,
// in a later one.
//
// Callers give each operation a number and an attempt, on which all chance depends, and must not alter an operation
// during an attempt.
//
// The package never sends anything itself.
//
// # Engines
//
// An [InProcess] calls an engine directly, without a socket. Do waits on a clock until the reply
// is due; Submit returns that time to a simulation. Both give the same outcomes at the same times.
// Latencies are those of the model: sockets, encoding and signatures cost nothing.
//
// # Faults
//
// [WrapFaults] applies an [loadgen/engine.FaultPlan] to a target that blocks, and holds replies by
// sleeping on the clock. [WrapImmediateFaults] applies it to an immediate one, and moves the time
// of the reply. Under one plan and seed both do the same to the same attempts. Counts returns the
// attempts as their sender saw them, Log what was done to them: together they account for every
// difference from the inner target. Time zero of the clock is the start of the run. An
// [Injector] is a plan whose faults start and end on request. Requests to other services than the
// table service meet no fault.
//
// # Network
//
// A [Line] is the network between the clients and the account: the bandwidth of the client
// machines, and packet loss. A simulation calls [Line.Sends] when a request arrives and
// [Line.Receives] when a reply is complete; [WrapLine] does so for a target that blocks, and
// sleeps in between. Each machine sends one request and receives one reply after another, in
// order, by the bytes in [Operation]. Operations take the machines in turn. Packet loss delays a
// reply, and is a pure function of seed, operation and attempt. Nothing is dropped: what exceeds
// the bandwidth is late, and the [Outcome] has the delay. The round trip is the engine's.
//
// # Several accounts
//
// [NewShards] and [NewImmediateShards] pass each attempt to the target of the account that the
// operation names, in the order given, and sum the counters of those targets. An account number
// out of range panics. The caller closes the targets, after the last attempt.
//
// # Memory
//
// A [ReplyBudget] limits the memory of all replies in progress together. Each reply has a
// [ReplyShare]: memory up to [ReplyAllowance] does not count, the rest is from the budget. If the budget is used up, a reply waits in order until others return memory, or until
// its attempt ends. The reply that has waited longest is served from a reserve, so that none waits
// forever. Callers must call Leave on a share when the reply is finished.
//
// The package is public: docs/go.md says what that means.
package target
