// Package procedure holds the closed list of operations that take several
// requests: what an application does as one, a table service knows only in parts.
//
// [NewReadModifyWrite] reads an entity, changes it and writes it on the condition
// that nobody else did in between. [NewWrite] is a single write that can be told
// again: where a reply was lost, it finds out whether it met its own success. The
// driving loop asks a [Procedure] for its first request, sends it, tells what
// came of each attempt, and does what the procedure says: send the next request,
// leave the attempt to the retry policy, or end. After that an [Audited] procedure
// reports what it left in the table.
//
// The caller owes a procedure of its own to each operation, and calls from one
// goroutine at a time. It owes each operation of a run a [WriteID] of its own.
//
// The package never sends, waits or draws: a procedure is a pure step machine,
// the same in real and in virtual time.
package procedure
