// Package keystatistics judges how a stream of keys lies over partitions, in memory that
// does not grow with the stream.
//
// Make [Statistics] with [New], add each key with [Statistics.Add], or all keys of
// a CSV file with [ReadKeys], and take their [Report]: how many partitions there
// are and what amounts to how many equal ones, which are the heaviest, which keys
// no table would take, and, from the instants of inserts alone, whether at any
// moment they all fall on one place ([Order]). [Report.Forecast] says what that
// makes of a rate.
//
// A [Stream] tells the same of keys that come one by one in their order, each seen
// once, without an instant: whether they go up or down, which a results.Order counts
// and names.
//
// Keys may come in any order. Up to a bound each partition is told apart and all
// counts are exact; beyond it the heaviest are kept with the bounds between which
// their weights lie, and the rest are estimates with their standard error. The
// order of inserts is judged from a sample of them, drawn by the seed.
//
// The caller owes instants of one clock, and one goroutine at a time.
//
// The package never reads a clock or opens a file, never guesses an order that no
// instant shows, and never counts what it could not read.
package keystatistics
