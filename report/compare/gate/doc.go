// Package gate formats the results of gates for people and machines.
//
// Callers make one [Result] per scenario, with [Differs] from an exact comparison, with [Judged]
// from paired runs, or directly. A list of them is a [Document]; [JUnit] and [Annotations] print
// it for CI servers, [benchfmt] for benchstat. [Code] is its exit code. [Forms] lists all
// forms, and [Files] writes them.
//
// Results are printed in the caller's order. Each form escapes names and reasons, and removes
// terminal sequences. The package reads and compares no runs.
package gate
