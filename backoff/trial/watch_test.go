package trial

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
)

// TestMain collects garbage less often, which saves a fifth of the CPU.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}

// Jain's index over the shares of those clients that had an operation caught.
func TestFairness(t *testing.T) {
	for _, row := range []struct {
		name        string
		caught, won []int64
		want        float64
		none        bool
	}{
		{"all alike", []int64{4, 4}, []int64{2, 2}, 1, false},
		{"one of two has it all", []int64{2, 2}, []int64{2, 0}, 0.5, false},
		{"one of four", []int64{1, 1, 1, 1}, []int64{0, 1, 0, 0}, 0.25, false},
		{"shares count, not operations", []int64{10, 2}, []int64{5, 1}, 1, false},
		{"a client that had none is left out", []int64{2, 0}, []int64{1, 0}, 1, false},
		{"nobody succeeded", []int64{2, 2}, []int64{0, 0}, 0, true},
		{"nothing was caught", []int64{0}, []int64{0}, 0, true},
	} {
		got := (&watch{caught: row.caught, won: row.won}).fairness()
		assert.Truef(t, (got == nil) == row.none && (got == nil || *got == row.want),
			"%s: fairness of %v of %v = %v; want %v", row.name, row.won, row.caught, got, row.want)
	}
}

// Every client has one operation in each round, and not at the same place in all.
func TestClientsTakeTurns(t *testing.T) {
	const clients, rounds = 10, 50
	e := &Experiment{Clients: clients, Seed: 1}
	first := map[uint64]bool{}
	for round := range uint64(rounds) {
		seen := map[uint64]bool{}
		for place := range uint64(clients) {
			seen[e.ClientOf(round*clients+place)] = true
		}
		assert.Lenf(t, seen, clients, "round %d: clients have an operation", round)
		first[e.ClientOf(round*clients)] = true
	}
	assert.Truef(t, len(first) >= clients-2, "%d clients begin a round in %d; want nearly all %d", len(first), rounds, clients)
}
