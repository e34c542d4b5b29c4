package results_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"loadgen/results"
)

// accountsOf records random attempts over so many accounts and returns the record
// with a count of what it should hold, made from the same attempts.
func accountsOf(t *testing.T, accounts int, seed uint64) (*results.Record, [][]results.AccountStats) {
	t.Helper()
	folder := new(results.Memory)
	m := manifest()
	m.Accounts = accounts
	recorder, err := results.NewRecorder(folder, m)
	if err != nil {
		t.Fatalf("NewRecorder = %v; want no error", err)
	}
	phases := []results.Phase{
		{Name: "load", End: 2 * time.Second},
		{Name: "step", Begin: 2 * time.Second, End: 5 * time.Second, Rate: 100, Reported: true},
		{Name: "after a gap", Begin: 6 * time.Second, End: 8 * time.Second, Rate: 100, Reported: true},
	}
	want := make([][]results.AccountStats, len(phases))
	for i, phase := range phases {
		recorder.Phase(phase)
		want[i] = make([]results.AccountStats, max(1, accounts))
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 2000 {
		a := results.Attempt{Phase: rng.IntN(3), Kind: 1, Number: uint64(n), Try: rng.IntN(2), Account: rng.IntN(max(1, accounts)),
			Class: results.Class(1 + rng.IntN(3)), Entities: rng.Int64N(100), Counted: rng.Int64N(100), PartitionKey: "p", HasPartition: n%2 == 0}
		a.Sent = time.Duration(rng.Int64N(int64(9 * time.Second)))
		a.Done = a.Sent + time.Duration(rng.Int64N(int64(time.Second)))
		recorder.Attempt(&a)
		if a.Try == 0 {
			want[a.Phase][a.Account].Offered += a.Entities
		}
		for i, phase := range phases {
			if phase.Begin <= a.Done && a.Done < phase.End {
				switch a.Class {
				case results.Ok:
					want[i][a.Account].Served += a.Counted
				case results.Throttled:
					want[i][a.Account].Throttled++
				}
			}
		}
	}
	finish(t, recorder, 10*time.Second)
	return read(t, folder), want
}

func TestAccountsAreCounted(t *testing.T) {
	for _, accounts := range []int{2, 3, 16} {
		record, want := accountsOf(t, accounts, uint64(accounts))
		for i, phase := range record.Phases {
			if !reflect.DeepEqual(phase.Accounts, want[i]) {
				t.Errorf("the phase %q over %d accounts has %+v; want %+v", phase.Name, accounts, phase.Accounts, want[i])
			}
		}
	}
}

func TestOneAccountIsNotCounted(t *testing.T) {
	for _, accounts := range []int{0, 1} {
		record, _ := accountsOf(t, accounts, 1)
		for _, phase := range record.Phases {
			if _, several := phase.Busiest(); several || phase.Accounts != nil {
				t.Errorf("the phase %q over %d accounts has %+v; want none", phase.Name, accounts, phase.Accounts)
			}
		}
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
