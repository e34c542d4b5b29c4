// Package export is a run in the forms that other tools read: [HistogramLog] for those
// of HdrHistogram, [Benchmarks] for benchstat, [TestCases] for servers of continuous
// integration.
//
// Each form takes a record and the summary that package verdict made of it, and writes
// what the record holds, in the form's own units, and nothing besides: an operation
// without a figure has no figure there. What has no place in a form stands in its
// comments, or is left out.
//
// Names may hold anything: what a form or a terminal would take for its own is replaced,
// and two names that become the same are told apart by a number.
//
// The package judges nothing and reads no file. Vegeta's stream is written while a run
// goes on.
package export
