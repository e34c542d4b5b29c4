// Package export writes runs in formats of other tools: [HistogramLog] for HdrHistogram,
// [Benchmarks] for benchstat, [TestCases] for CI servers, [Seconds] as CSV.
//
// Each format takes a record and its summary from package verdict, and writes figures of
// the record in its own units. Missing figures stay missing. What a format has no field for
// is a comment or is left out.
//
// Names are sanitized for the format and for terminals; a number distinguishes names that
// become equal.
//
// [IntervalLog] and [SecondsTable] are written during a run. The package reads no file.
package export
