// Package results is the record of a run: what is kept of every attempt, how it
// is written, and how it is read back.
//
// A run begins with [NewRecorder] over a [Folder] and a [Manifest]. The driver
// tells the recorder what became due ([Recorder.Scheduled]), what each attempt
// and each operation came to ([Recorder.Attempt], [Recorder.Completed]), and
// how far time has got ([Recorder.Advance]), upon which whole seconds are
// appended to intervals.ndjson. [Recorder.Finish] closes the books, [Read] loads
// a record from its folder, and [Recorder.Seal] writes the summary that a
// verdict made of it.
//
// The caller owes instants as durations since the start of the run, and an
// [Recorder.Advance] that it keeps: nothing recorded later may belong to a
// second before it. What breaks that promise is kept in the totals, moved to
// the oldest second still open, and counted.
//
// The package knows no target, no clock and no scenario: it is a leaf. Memory
// does not grow with the number of attempts.
//
// The package is public: docs/go.md says what that means.
//
// # Merging
//
// [Merge] combines the records of runs that were carried out side by side: time zero on time zero,
// second on second, phase on phase. Counts are summed and histograms merged bucket by bucket, so
// that the record is the one that a single recorder would have made of all attempts. What single
// records do not hold exactly is a bound or missing, and [Merged] says so. The result may share
// memory with its parts, which are not changed.
package results
