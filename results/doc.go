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
package results
