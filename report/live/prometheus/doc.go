// Package prometheus offers how a run fares as Prometheus metrics, from a registry of
// its own: [New] returns a watcher of drive's ledger, [Exporter.Handler] what answers
// a scrape.
//
// No PartitionKey is a label unless that is asked for: the hottest partitions are told by
// rank. Labels are what a scenario names, its operations and phases, of which so many are
// told apart and no more. Gauges are of phases that are reported: while a table is loaded or
// read back there are none.
//
// All methods of an Exporter are safe for concurrent use, but that operations are named
// when it is built. It knows no clock: the caller hands in what tells the present.
package prometheus
