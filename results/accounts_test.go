package results_test

import (
	"testing"

	"loadgen/results"
)

func TestOneAccountIsNotCounted(t *testing.T) {
	record := playRecord(t, 0, func(r *results.Recorder) {
		succeed(r, r.Phase(results.Phase{Name: "load", End: 1}), 1, 0, 0)
	})
	if _, several := record.Phases[0].Busiest(); several || record.Phases[0].Accounts != nil {
		t.Errorf("a phase over one account has %+v; want none", record.Phases[0].Accounts)
	}
}

func TestBusiestAccount(t *testing.T) {
	for _, row := range []struct {
		name    string
		offered []int64
		want    int
	}{
		{"the one that was offered most", []int64{3, 9, 4}, 1},
		{"the first of equals", []int64{3, 9, 9}, 1},
		{"nobody was offered anything", []int64{0, 0}, 0},
	} {
		var phase results.Phase
		for _, offered := range row.offered {
			phase.Accounts = append(phase.Accounts, results.AccountStats{Offered: offered})
		}
		if got, several := phase.Busiest(); got != row.want || !several {
			t.Errorf("%s: Busiest() = %d, %v; want %d, true", row.name, got, several, row.want)
		}
	}
}
