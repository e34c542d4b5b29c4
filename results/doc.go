// Package results is the record of a run: it counts and measures attempts, writes files, and reads them.
//
// A run begins with [NewRecorder] over a [Folder] and a [Manifest]. The driver records due operations
// ([Recorder.Scheduled]), ended attempts and operations ([Recorder.Attempt], [Recorder.Completed]), and the progress of
// time ([Recorder.Advance]), which appends whole seconds to intervals.ndjson. [Recorder.Finish] completes the record,
// [Read] loads one from its folder, and [Recorder.Seal] writes the summary of a verdict.
//
// Instants are durations since the start of the run. After [Recorder.Advance] nothing may be recorded that belongs to an
// earlier second; such counts are added to the totals, moved to the oldest open second, and counted as misplaced.
//
// The package depends on no target, no clock and no scenario. Its memory does not grow with the number of attempts.
//
// The package is public: docs/go.md says what that means.
//
// # Merging
//
// [Merge] combines the records of runs that were carried out in parallel: time zero with time zero, second with second,
// phase with phase. Counts are summed and histograms merged bucket by bucket, so that the record equals that of a single
// recorder for all attempts. Values that single records do not have exactly are bounds or missing, see [Merged]. The
// result may share memory with its parts, which are not changed.
package results
