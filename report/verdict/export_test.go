package verdict

import "loadgen/results"

// Expectations judges what was asked of a record, given what is known of it.
func Expectations(record *results.Record, summary *results.Summary) []results.Expectation {
	return expectations(record, summary, Steps(record))
}
