//go:build ci

package run_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/run"
)

// sums returns the faults of each kind, status, code and key, whenever they were.
func sums(counts map[entry]int64) map[entry]int64 {
	total := make(map[entry]int64)
	for one, n := range counts {
		one.second = 0
		total[one] += n
	}
	return total
}

// In real time, over sockets, the log is what the record says as well, to the count by kind, code
// and key. The seconds differ for faults that end right before the end of one.
func TestTheLogOfFaultsIsWhatALiveRecordSays(t *testing.T) {
	for seed := range uint64(4) {
		faults := drawnFaults(rand.New(rand.NewPCG(seed, 9)))
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			s := faulty(t, "full-jitter", faults)
			s.Seed = seed
			record, o, _ := carried(t, s, run.Embedded)
			assert.NotEmpty(t, o.injected)
			assert.Equal(t, sums(logged(o.injected)), sums(recorded(record)))
		})
	}
}
