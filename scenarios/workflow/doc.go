// Package workflow holds the closed list of operations of several requests that
// scenarios can name: transfers, indexes, archives, leases, sums, and what else the
// documents describe.
//
// [Find] returns the kind of a name. A kind takes parameters and makes a
// [Workflow] for each operation; where something must hold of what a run left
// behind, its check reads everything and can fail.
//
// A scenario names a workflow and sets its parameters; it programs nothing.
//
// # Step machines
//
// A [Workflow] is an operation of several requests: a pure step machine, the same in real and in
// virtual time. The driving loop asks it for its first request, sends it, passes on each outcome,
// and does what the workflow returns: send the next request, leave the attempt to the retry policy,
// or end. An [Audited] workflow then reports what it left in the table. A [Kind] describes one for
// scenarios: its name, its parameters and what a design needs for it.
//
// # Straight-line code
//
// Most workflows are a [Procedure]: a function that sends requests by its [Tx], reads the replies
// and returns. It runs as a coroutine behind the step machine. A coroutine costs about 0.5 µs for an
// operation of three requests, so the workflows of single verbs are step machines themselves:
// [NewReadModifyWrite] reads an entity and writes it under the condition that nobody else did,
// [NewWrite] repeats a single write safely, for after a lost reply it finds out whether the first try
// succeeded, [NewSeries] writes an entity and its copies, and [NewFindWrite] finds what it writes.
//
// Each operation needs its own workflow, used by one goroutine at a time, and its own [WriteID].
//
// # Access without the account key
//
// direct-read uses a shared access signature that a broker issues to the user, proxied-read a proxy.
// A [Keeper] caches signatures and preflight answers. Broker, proxy and preflight are stand-ins.
//
// # Copies
//
// A client that dies between writing an entity and its copy leaves one without the other. The
// workflows of copies find what copies lack, and repair it.
package workflow
