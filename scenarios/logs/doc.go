// Package logs reports what the log of a table shows: which partitions were hot, how much was throttled, and what
// operations cost, as a record that is judged and shown like that of a run.
//
// [Open] finds the files that a user named, in folders as a service keeps them by the hour. [Read] visits their
// requests in the order of time, each once, in bounded memory. [Examine] makes the record of them, by package capture,
// and adds what only a log has. What a line does not have is estimated by a rule that the report states, see
// [Estimate].
//
// The record holds keys of the log. It is in a temporary folder unless [Plan] names one.
//
// The package opens the files of the log and no others, reads no clock, sends nothing, and starts no goroutine.
// It counts whatever it leaves out.
package logs
