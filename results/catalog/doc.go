// Package catalog is the runs that are kept: their names, their tags and their age.
//
// A run is a folder with a run.json, a contest of designs one with a contest.json. [Open] reads what a folder of them holds into a
// [Catalog], of which [Catalog.Select] takes some and [Catalog.Plan] says which are to go;
// [Plan.Delete] deletes these. [Find] returns the run that a person means by a path, a
// name, the beginning of one or [Latest]; [ChangeTags] gives a run names of one's own,
// which keep it from being deleted. [Read] and [Reader] hand the records themselves over.
//
// The caller owes the time, and says by name which files beside a record's own a run may
// lose. What was asked for and cannot be had is a [Fault], one line that names what is
// nearest.
//
// The package alters no record, follows no link where it deletes, and deletes nothing that
// it was not told the name of.
package catalog
