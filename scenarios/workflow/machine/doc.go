// Package machine is what an operation of several requests is built with: what an
// application does as one, a table service knows only in parts.
//
// The driving loop asks a [Workflow] for its first request, sends it, tells what came of
// each attempt, and does what the workflow says: send the next request, leave the
// attempt to the retry policy, or end. After that an [Audited] workflow reports what it
// left in the table. A [Script] is a workflow whose requests follow each other;
// [NewReadModifyWrite] reads an entity, changes it and writes it on the condition that
// nobody else did in between; [NewWrite] is a single write that can be told again: where
// a reply was lost, it finds out whether it met its own success. A [Kind] is what
// scenarios know of one: its name, its parameters, and what a design must have for it.
//
// The caller owes a workflow of its own to each operation, and calls from one goroutine
// at a time. It owes each operation of a run a [WriteID] of its own.
//
// The package never sends, waits or draws: a workflow is a pure step machine, the same in
// real and in virtual time.
package machine
