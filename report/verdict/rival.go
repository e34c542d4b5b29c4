package verdict

import "loadgen/results"

// RivalOf returns what a record is held against where it is another profile's.
func RivalOf(record *results.Record) *results.Rival {
	summary := Judge(record)
	rival := &results.Rival{Profile: record.Manifest.Profile, Saturation: summary.Saturation}
	if b := summary.Balance; b != nil {
		rival.Outcome, rival.Throttled, rival.Relieved = b.Outcome, b.Throttled, b.Relieved
	}
	return rival
}
