//go:build ci

package run_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/run"
)

// ordered returns the seconds of faults of each kind, status, code and key, in order.
func ordered(counts map[entry]int64) map[entry][]int64 {
	seconds := make(map[entry][]int64)
	for one, n := range counts {
		at := one.second
		one.second = 0
		for range n {
			seconds[one] = append(seconds[one], at)
		}
	}
	for _, list := range seconds {
		slices.Sort(list)
	}
	return seconds
}

// In real time, over sockets, the log is what the record says as well: to the count by
// kind, code and key, and by second but for those that ended right before its end, which
// the sender saw in the next one.
func TestTheLogOfFaultsIsWhatALiveRecordSays(t *testing.T) {
	for seed := range uint64(4) {
		faults := drawnFaults(rand.New(rand.NewPCG(seed, 9)))
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			s := faulty(t, "full-jitter", faults)
			s.Seed = seed
			record, o, _ := carried(t, s, run.Embedded)
			log, has := ordered(logged(o.injected)), ordered(recorded(record))
			assert.Truef(t, len(log) == len(has) && len(log) != 0,
				"the log has %d kinds, codes and keys, the record %d", len(log), len(has))
			for one, seconds := range log {
				if len(has[one]) != len(seconds) {
					t.Errorf("%+v: %d in the log, %d in the record", one, len(seconds), len(has[one]))
					continue
				}
				for i, second := range seconds {
					if later := has[one][i] - second; later < 0 || later > 1 {
						t.Errorf("%+v: number %d is in second %d of the log, and in %d of the record", one, i, second, has[one][i])
					}
				}
			}
		})
	}
}
