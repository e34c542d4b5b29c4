// Package otlp sends how a run fares to an OpenTelemetry collector while it goes on: metrics
// of all of it, and traces of the slowest operations.
//
// [Open] finds out where to from what was typed and the variables of OpenTelemetry, and
// makes the [Client]; [Client.Start] makes an [Exporter] of one run, a watcher of drive's
// ledger, which the caller owes a [Exporter.Stop], and the client a [Client.Close]. One
// goroutine sends, every few seconds; nobody who tells an exporter anything waits for it.
//
// Every count is of all that the record has, by operation and phase, so that what is
// received after the end equals the record. Memory is bounded: what is told apart, how many
// operations under way are followed, how many traces wait to be sent; what is over goes
// under the name "other", or is counted as a lost trace. An endpoint that does not answer
// costs the run nothing but what it is not told of.
//
// No PartitionKey is sent unless that is asked for. What the headers of the environment
// hold is never told: not even where an endpoint repeats it.
//
// All methods of an Exporter but Stop are safe for concurrent use.
package otlp
