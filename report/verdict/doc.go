// Package verdict says what the record of a run means.
//
// [Judge] turns a finished record into the summary that scripts read, the
// verdict in words included. [Books] what does not add up, [Findings] what stands out beside the
// verdict, and [Limits] what the run cannot tell; [Figure] is a single figure, by
// which runs are compared. Everything is computed from
// the record: no figure is known here beforehand but the documents' two targets,
// so that a run against others can say so.
//
// The caller owes a record as [loadgen/results.Read] returns it, which may be partial,
// cut or untrue; none makes this package panic.
//
// The package never alters the record and never writes anything.
package verdict
