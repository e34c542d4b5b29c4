// Package logs says what the log of a table says: which partitions were hot, what was
// throttled, what operations cost, as a record that is judged and shown like that of a run.
//
// [Open] finds the files that a user named, in folders as a service keeps them by the hour.
// [Read] hands over their entries in the order of time, each once, in bounded memory. [Tell]
// makes the record of them, through package capture, and adds what only a log has. What a
// line does not say is estimated by a rule that the report states, see [Estimate].
//
// The caller owes a place for the record, which holds keys of the log: whoever asked for
// none gives one that does not outlive the call.
//
// The package opens the files of the log and no others, reads no clock, sends nothing, and
// starts no goroutine. Whatever it leaves out is counted.
package logs
