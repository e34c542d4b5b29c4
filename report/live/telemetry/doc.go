// Package telemetry exports what a run in progress measures.
//
// Prometheus scrapes a [Server], which serves the [Metrics] of a run. A [Client] sends to an OpenTelemetry collector: its
// [Exporter] of a run sends metrics, and traces of the slowest operations, every few seconds; nothing that the exporter
// observes waits for that. Both are observers of drive's ledger, with instruments of OpenTelemetry's SDK. The names of
// these differ, as the conventions of both do, see instrumentNames.
//
// Counts and gauges are read from the run's recorder and its live.Stats when they are collected, so that counts equal
// the record, by operation and phase; only durations are recorded for each operation. Gauges are of reported phases:
// while a table is loaded or read back there are none.
//
// Memory is bounded. There is a maximum number of operations and of phases with a name; the rest is called "other". There
// is a maximum number of operations that are traced and of traces that wait to be sent; the rest counts as lost traces. An
// endpoint that does not answer does not delay the run.
//
// PartitionKeys are exported only on request. What the headers of the environment hold is never shown, even if an
// endpoint repeats it.
//
// All methods but Stop and Close are safe for concurrent use.
package telemetry
