// Package history shows the runs of a scenario over time and finds steps.
//
// An [Archive] of metrics takes records in any order, and the names of unreadable runs.
// [Archive.Document] sorts the valid runs by their start. Runs of the same conditions are a
// [Series], even if other runs are between them. Runs within six hours of the first are a
// [Night], whose values are medians over its runs. compare.ChangePoints finds the steps
// between nights. [Report] is a document of the result, [CSV] prints the nights, and [Draw]
// draws one scenario. [ParseMetrics] parses metrics; its errors are a [Fault].
//
// Conditions are the text of the scenario, target, start, profile, retries, driver and
// machine. The build of the tool is not a condition: history watches it.
//
// Records are as results.Read returns them, each once. All text of a record is printed as one
// line of printable characters. The package keeps no record and reads no folder and no clock.
// The absence of a step is never a proof that nothing has changed.
package history
