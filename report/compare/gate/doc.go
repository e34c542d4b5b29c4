// Package gate is what a gate says of scenarios, and the forms in which people and
// machines read it.
//
// Whoever gates makes one [Result] for each scenario, by [Differs] of an exact comparison
// or [Judged] of paired runs, or by hand for what could not be compared. A list of them
// is a [Document] for people and scripts, and is printed by [JUnit] and [Annotations] for
// what carries out jobs, and by [benchfmt] for benchstat. Its exit code is [Code]. [Forms]
// are all of them by name, and [Files] those that a gate writes.
//
// Names and reasons may hold anything: each form escapes what it would take for its own,
// and none lets through what controls a terminal.
//
// The caller owes results in the order in which they are to be read.
//
// The package never compares, and reads no run.
package gate
