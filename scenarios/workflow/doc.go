// Package workflow implements the operations of several requests that scenarios can name: the design
// patterns of the documents, such as transfers, indexes, archives and summaries.
//
// [Find] returns the [Kind] with a name: its parameters, what it needs of a design, and the
// [Procedure] of each operation. A kind may have a check of an invariant, which reads all that a run
// left and can fail. A scenario names a workflow and sets its parameters; it contains no code.
//
// # Procedures
//
// Each workflow is a [Procedure]: a function that sends requests by its [Tx], reads the replies and
// returns. To the driving loop it is a pure step machine, the same in real and in virtual time. The
// loop sends the first request, passes each outcome to [Procedure.Next], and executes the [Move] that
// it returns: send the next request, leave the attempt to the retry policy, or end. The function runs
// as a coroutine behind it, which costs about 0.5 µs for an operation of three requests.
//
// Beside the kinds there are [NewReadModifyWrite], which reads an entity and writes it under the ETag
// read; [NewWrite], whose retries recognize their own success; [NewSeries], which writes an entity and
// its copies; [NewFindWrite], which searches the entity that it writes; and [NewFanOut], which queries
// several partitions.
//
// Each operation needs its own workflow, used by one goroutine at a time, and its own [WriteID].
//
// # Access without the account key
//
// direct-read uses a shared access signature that a broker issues to the user, proxied-read a proxy.
// A [Keeper] caches signatures and preflight replies. Broker, proxy and preflight are stand-ins.
//
// # Copies
//
// A client that crashes between the writes of an entity and its copy leaves one without the other.
// The workflows of copies find missing, orphaned and stale copies, and repair them.
package workflow
