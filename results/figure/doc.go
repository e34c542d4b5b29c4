// Package figure holds every figure that is shown, claimed, ranked, gated or exported
// of a run: its name, unit and scope, which way it is better, a sentence that says what
// it is, and the one function that takes it from a record.
//
// [Of] opens a record; [Figures.Take] takes a figure by its [Reference], such as p99 of an
// operation, and [Definitions] lists them all. A [Value] comes with what it rests on,
// with bounds where it has some, and with why where it cannot be told. Whoever shows a
// figure takes it from here by its name, so that two places cannot disagree on it.
//
// A run is looked at in steps: the phases that are reported, as far as the run came to
// them. An operation belongs to the step of its intended instant, whenever it ends.
//
// The package holds no state and reads no file. What it returns may share the memory of
// the record, which it never changes.
package figure
