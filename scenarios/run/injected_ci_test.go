//go:build ci

package run_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine"
	"loadgen/results"
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

// What is offered and what is injected is the same in real time as on the virtual clock, of
// whatever is sent on the same side of each edge of the window as it was due.
func TestEachFaultIsTheSameLive(t *testing.T) {
	for group := range slices.Chunk(mechanisms(), 6) {
		t.Run("six", func(t *testing.T) {
			for _, m := range group {
				t.Run(m.says, func(t *testing.T) {
					t.Parallel()
					m.sameLive(t)
				})
			}
		})
	}
}

func (m *mechanism) sameLive(t *testing.T) {
	s := faulty(t, "none", "  - "+m.faults)
	rule := &s.Faults[0]
	_, virtual, begin := carried(t, s, run.Simulated)
	_, live, began := carried(t, s, run.Embedded)
	byNumber := func(a, b results.Attempt) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortFunc(virtual.attempts, byNumber)
	slices.SortFunc(live.attempts, byNumber)
	require.Truef(t, len(live.attempts) == len(virtual.attempts) && len(live.attempts) == 600,
		"%d attempts live, and %d on the virtual clock; want 600", len(live.attempts), len(virtual.attempts))
	compared := 0
	for i := range live.attempts {
		a, b := &live.attempts[i], &virtual.attempts[i]
		if a.Number != b.Number || a.Intended-began != b.Intended-begin || a.PartitionKey != b.PartitionKey {
			t.Fatalf("number %d is due at %v at %q live, and at %v at %q on the virtual clock", a.Number, a.Intended-began, a.PartitionKey,
				b.Intended-begin, b.PartitionKey)
		}
		if nearEdge(rule, a.Intended-began) || nearEdge(rule, a.Sent-began) || meets(rule, a, began) != meets(rule, b, begin) || late(rule, a, began) {
			continue
		}
		compared++
		assert.Truef(t, a.Injected == b.Injected && a.Status == b.Status && a.Code == b.Code && a.Class == b.Class,
			"number %d met %q and came to %d %s live, and %q and %d %s on the virtual clock", a.Number, a.Injected, a.Status, a.Code, b.Injected, b.Status, b.Code)
		if takes := a.Done - a.Sent; a.Injected != "" && takes < time.Duration(m.takes)*time.Millisecond {
			t.Errorf("number %d met %s and took %v; want %d ms at least", a.Number, a.Injected, takes, m.takes)
		}
	}
	assert.Truef(t, compared >= 60, "%d attempts could be compared; want 60 of 600 at least, on however busy a machine", compared)
}

// late reports whether a freeze met an attempt otherwise than by when it was sent: a reply
// freezes by when it is there, which a busy machine puts off.
func late(rule *engine.FaultRule, a *results.Attempt, began time.Duration) bool {
	frozen := a.Injected != ""
	return rule.Kind == engine.FaultFreeze && (!frozen && a.Done-began >= rule.To || frozen && a.Sent-began < rule.From)
}

// nearEdge reports whether an instant is so near to an edge of the window that a little delay
// puts a reply on the other side.
func nearEdge(rule *engine.FaultRule, at time.Duration) bool {
	const near = 100 * time.Millisecond
	for _, edge := range []time.Duration{rule.From, rule.To} {
		if edge > 0 && at > edge-near && at < edge+near {
			return true
		}
	}
	return false
}
