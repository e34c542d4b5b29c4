// Package history is the nights of a scenario, and where they step.
//
// An [Archive] of some metrics is given the records that a folder holds, in any order,
// and told of those that cannot be read. [Archive.Document] puts the valid runs in the
// order in which they were begun: runs of the same conditions are a [Series], whatever
// is run between them, and runs begun within six hours of the first are a [Night], whose
// figures are the medians over its runs. Where a metric steps from one night to the next
// is found by compare.ChangePoints. [Report] says what the
// history comes to, [CSV] prints its nights, and [Draw] draws one of its scenarios. [ParseMetrics] reads the metrics; what
// is wrong with them is a [Fault].
//
// What the runs rest on is a condition: the text of the scenario, target, start and
// profile, retries, driver, and the machine. Another build of the tool is none, since
// that is what the nights are watched for.
//
// The caller owes records as results.Read returns them, each once. Whatever a record
// holds, what is printed of it is one line of printable characters.
//
// The package keeps no record, reads no folder and no clock, and never calls the absence
// of a step a proof that nothing has changed.
package history
