// Package scenarios is the scenario format: one YAML file that says what to
// load, what to offer and what to compare it with.
//
// Take a file, or one of the built-in library, with [Open], or a text with [Parse];
// override single fields with [Scenario.Set]; check the whole with
// [Scenario.Validate], which a parsed scenario has already passed until
// something overrode it; then hand [Scenario.Generator] and the phases to the
// driving loop, and keep [Scenario.Text] with the record so that the run can be
// repeated.
//
// The format is strict. A field that does not exist, a field given twice, a
// value of the wrong kind or out of bounds, a template with an unknown
// attribute: each is a [loadgen/scenarios/fields.Fault] with file, line and column, what was expected,
// and the nearest name for a typo. All faults of a file are reported at once.
// Anchors, aliases, tags and several documents are not part of the format. What an
// editor can know of all that, while a file is written, is in [Schema].
//
// Whatever the text holds, no function here
// panics.
//
// The package never runs anything and reads no clock. It opens no files but those of
// [Open], [Source] and [Files.Read], and writes none but those of [Begin].
//
// # Parts of the format
//
// The tags of the fields of [Scenario], and of the types below it, are the format; package
// fields has the vocabulary. [RetryBinding] reads how a client retries, [SizeBinding] the sizes
// of entities, and [ReadCurve] a curve of sizes from its file. [FaultsBinding] reads the fault rules of a scenario, and of the file
// that a service is started with; [CheckFaults] reports what is wrong with several rules together.
package scenarios
