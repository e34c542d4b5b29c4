// Package profile is the file that says what was measured of a table service: values of
// the partition model, each with its interval, and what could not be learnt.
//
// Make one of what was learnt with [Profile.Text], take one from a file with [Read], and
// have a scenario follow it with [Use], which takes the names of the model's own profiles
// as well.
//
// The format is strict, as that of a scenario: what is damaged, foreign or of another
// version is [loadgen/scenarios/fields.Faults], each with its line.
//
// The package measures nothing, and writes no file.
package profile
