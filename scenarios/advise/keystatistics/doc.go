// Package keystatistics measures how a stream of keys spreads over partitions, in bounded memory.
//
// Create [Statistics] with [New], add keys with [Statistics.Add] or all keys of a CSV file with
// [ReadKeys], and read the [Report]: the number of partitions, of how many equal partitions the keys
// are as uneven, the heaviest partitions, the invalid and the repeated keys, and, from the instants of
// inserts, whether all inserts fall on one place at any moment ([Order]). [Peak] compares the busiest time
// of each partition, and of each place where new keys follow one another, with that of all rows.
//
// A [Stream] classifies keys that arrive one by one in their order, without an instant: whether they
// ascend or descend, as a results.Order counts.
//
// Keys may come in any order. Up to a bound each partition has its own counter and all counts are
// exact. Above it the heaviest partitions are kept with bounds of their weights, and other figures are
// estimates with a standard error. The order of inserts is judged from a sample, drawn by the seed.
//
// Instants must be of one clock, and one goroutine at a time may use a value. The package never reads a
// clock or opens a file, never assumes an order that no instant shows, and never counts a row that it
// could not read.
package keystatistics
