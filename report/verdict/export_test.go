package verdict

import (
	"loadgen/results"
	"loadgen/results/figure"
)

// Checks judges what was asked of a record, given what is known of it.
func Checks(record *results.Record, summary *results.Summary) []results.Check {
	figures := figure.Of(record)
	return checks(record, summary, figures, holdsIn(record, figures))
}
