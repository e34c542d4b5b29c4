package verdict

import (
	"loadgen/results"
	"loadgen/results/figure"
)

// Checks judges what was asked of a record, given what is known of it.
func Checks(record *results.Record, summary *results.Summary) []results.Check {
	return evidenceOf(record, summary).checks()
}

// RestsOnBurst returns what of the throttling of a record's last phase rests on partition_burst:
// its share of the attempts, the most that a partition was asked in such a second, and whether
// an allowance of one second throttles nothing.
func RestsOnBurst(record *results.Record) (share, asked float64, spared bool) {
	steps := figure.Reported(record)
	one := (&evidence{Record: record}).allowanceOf(steps[len(steps)-1])
	return one.Share, one.Asked, one.Spared
}
