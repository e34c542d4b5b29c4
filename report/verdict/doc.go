// Package verdict says what the record of a run means.
//
// [Judge] turns a finished record into the summary that scripts read. [Narrate] turns both into words: evidence is
// gathered as typed values, and one table of rules turns it into sentences. [Books] returns counts that do not
// reconcile; [Figure] is a single figure by which runs are compared.
//
// The caller passes a record as [loadgen/results.Read] returns it, which may be partial, cut or false; none makes this
// package panic. The package does not change the record, and writes nothing.
package verdict
