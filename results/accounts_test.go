package results_test

import (
	"testing"

	"loadgen/results"

	"github.com/stretchr/testify/assert"
)

func TestBusiestAccount(t *testing.T) {
	one := playRecord(t, 0, func(r *results.Recorder) { succeed(r, r.Phase(results.Phase{Name: "load", End: 1}), 1, 0, 0) })
	assert.Nil(t, one.Phases[0].Accounts, "the accounts of a run over one")
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
		got, several := phase.Busiest()
		assert.Truef(t, got == row.want && several, "%s: Busiest() = %d, %v", row.name, got, several)
	}
}
