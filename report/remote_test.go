package report_test

import (
	"strings"
	"testing"
	"time"

	"loadgen/results"
	"loadgen/results/resultstest"
)

// remote is a run against a service that somebody else runs: the real one, or an
// emulator that keeps no limits.
func remote(emulator bool) *resultstest.Run {
	r := stress()
	r.NoCounts = true
	m := &r.Manifest
	m.Target, m.Service, m.Time, m.Genuine = "https://races.table.core.windows.net", "Windows-Azure-Table/1.0", "real", true
	m.Profile, m.Start, m.Model, m.Budget = "", "", nil, 5000
	m.Targets = results.Targets{Partition: 2000, Account: 20_000, Documented: true}
	if emulator {
		m.Target, m.Service, m.Emulator = "http://127.0.0.1:10002/devstoreaccount1", "Azurite-Table/3.0", true
		m.Genuine, m.LimitsKnown = false, true
		m.Targets = results.Targets{}
	}
	return r
}

func withConnections(r *results.Record) {
	r.Connections = &results.Connections{Opened: 16, Reused: 3000,
		Lookups:    results.Spell{Count: 1, Total: 3 * time.Millisecond, Max: 3 * time.Millisecond},
		Connects:   results.Spell{Count: 16, Total: 32 * time.Millisecond, Max: 5 * time.Millisecond},
		Handshakes: results.Spell{Count: 16, Total: 160 * time.Millisecond, Max: 31 * time.Millisecond},
		FirstByte:  results.Spell{Count: 3016, Total: 12 * time.Second, Max: 80 * time.Millisecond}}
}

// A report says of what kind its figures are, and claims nothing of the targets
// of the real service where it has only met an imitation.
func TestRemoteReportsClaimWhatTheyCan(t *testing.T) {
	for _, row := range []struct {
		sentence     string
		run          *resultstest.Run
		says, avoids []string
	}{
		{"the real service is measured, its entities derived", remote(false),
			[]string{"figures: measured; entities counted: derived", "Azure's documented 2,000/s", "of a budget of 5,000 transactions"},
			[]string{"modelled", "Assumptions"}},
		{"an emulator is measured, and no word is said of 2,000", remote(true),
			[]string{"figures: measured", "says nothing of the PartitionKey", "no partition servers"},
			[]string{"modelled", "2,000/s", "2,000 entities", "of target", "needs keys that spread", "Assumptions"}},
	} {
		got := text(t, row.run.Record(t))
		for _, want := range row.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: the report does not say %q:\n%s", row.sentence, want, got)
			}
		}
		for _, not := range row.avoids {
			if strings.Contains(got, not) {
				t.Errorf("%s: the report says %q:\n%s", row.sentence, not, got)
			}
		}
	}
}
