// Package procedure holds the closed list of operations that take several
// requests: what an application does as one, a table service knows only in parts.
//
// The driving loop asks a [Procedure] for its first request, sends it, tells what
// came of each attempt, and does what the procedure says: send the next request,
// leave the attempt to the retry policy, or end.
//
// The caller owes a procedure of its own to each operation, and calls from one
// goroutine at a time.
//
// The package never sends, waits or draws: a procedure is a pure step machine,
// the same in real and in virtual time.
package procedure
