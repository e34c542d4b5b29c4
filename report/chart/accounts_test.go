package chart_test

import (
	"testing"

	"loadgen/results"
)

// What several accounts are served together is held against what all of them may take.
func TestTargetLineOfSeveralAccounts(t *testing.T) {
	for _, row := range []struct {
		name      string
		accounts  int
		says, not string
	}{
		{"one account", 0, "account target 20,000/s", "accounts"},
		{"two accounts", 2, "2 accounts' target 40,000/s", "20,000/s"},
	} {
		record := *stress()
		record.Manifest.Spread, record.Manifest.Accounts = &results.Spread{Partitions: 20, Rate: 100}, row.accounts
		record.Manifest.Targets.Account = 20_000
		if seen := drawn(t, &record)["throttle"]; !seen.says(row.says) || seen.says(row.not) {
			t.Errorf("%s: the chart does not say %q, or says %q", row.name, row.says, row.not)
		}
	}
}
