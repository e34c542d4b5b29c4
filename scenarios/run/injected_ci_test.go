//go:build ci

package run

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/results"
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
	var under sync.WaitGroup
	for seed := range uint64(4) {
		under.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 9))
			faults := drawnFaults(rng)
			s := faulty(t, "full-jitter", faults)
			s.Seed = seed
			record, o, _ := carried(t, s, Embedded)
			if record == nil {
				return
			}
			log, has := ordered(logged(o.injected)), ordered(recorded(record))
			if len(log) != len(has) || len(log) == 0 {
				t.Errorf("seed %d: the log of\n%s\nhas %d kinds, codes and keys, and the record %d", seed, faults, len(log), len(has))
			}
			for one, seconds := range log {
				if len(has[one]) != len(seconds) {
					t.Errorf("seed %d: %+v: %d in the log of\n%s\nand %d in the record", seed, one, len(seconds), faults, len(has[one]))
					continue
				}
				for i, second := range seconds {
					if later := has[one][i] - second; later < 0 || later > 1 {
						t.Errorf("seed %d: %+v: number %d is in second %d of the log, and in %d of the record", seed, one, i, second, has[one][i])
					}
				}
			}
		})
	}
	under.Wait()
}

// What is offered and what is injected is the same in real time as on the virtual clock, of
// whatever is sent on the same side of each edge of the window as it was due.
func TestEachFaultIsTheSameLive(t *testing.T) {
	for group := range slices.Chunk(mechanisms(), 6) {
		var under sync.WaitGroup
		for _, m := range group {
			under.Go(func() { m.sameLive(t) })
		}
		under.Wait()
	}
}

func (m *mechanism) sameLive(t *testing.T) {
	s := faulty(t, "none", "  - "+m.faults)
	_, virtual, begin := carried(t, s, Simulated)
	_, live, began := carried(t, s, Embedded)
	byNumber := func(a, b results.Attempt) int { return cmp.Compare(a.Number, b.Number) }
	slices.SortFunc(virtual.attempts, byNumber)
	slices.SortFunc(live.attempts, byNumber)
	if len(live.attempts) != len(virtual.attempts) || len(live.attempts) != 600 {
		t.Errorf("%s: %d attempts live, and %d on the virtual clock; want 600", m.says, len(live.attempts), len(virtual.attempts))
		return
	}
	compared := 0
	for i := range live.attempts {
		a, b := &live.attempts[i], &virtual.attempts[i]
		if a.Number != b.Number || a.Intended-began != b.Intended-begin || a.PartitionKey != b.PartitionKey {
			t.Errorf("%s: number %d is due %v after the begin at %q live, and %v at %q on the virtual clock", m.says, a.Number, a.Intended-began, a.PartitionKey,
				b.Intended-begin, b.PartitionKey)
			return
		}
		if m.edge(a.Intended-began) || m.edge(a.Sent-began) || m.can(a, began) != m.can(b, begin) || m.late(a, began) {
			continue
		}
		compared++
		if a.Injected != b.Injected || a.Status != b.Status || a.Code != b.Code || a.Class != b.Class {
			t.Errorf("%s: number %d met %q and came to %d %s live, and %q and %d %s on the virtual clock", m.says, a.Number, a.Injected, a.Status, a.Code,
				b.Injected, b.Status, b.Code)
		}
		if takes := a.Done - a.Sent; a.Injected != "" && takes < m.takes {
			t.Errorf("%s: number %d met %s and took %v; want %v at least", m.says, a.Number, a.Injected, takes, m.takes)
		}
	}
	if compared < 60 {
		t.Errorf("%s: %d attempts could be compared; want 60 of 600 at least, on however busy a machine", m.says, compared)
	}
}

// late reports whether a freeze met an attempt otherwise than by when it was sent: a reply
// freezes by when it is there, which a busy machine puts off.
func (m *mechanism) late(a *results.Attempt, began time.Duration) bool {
	frozen := a.Injected != ""
	return m.rule.Kind == engine.FaultFreeze && (!frozen && a.Done-began >= m.rule.To || frozen && a.Sent-began < m.rule.From)
}

// edge reports whether an instant is so near to an edge of the window that a little delay
// puts a reply on the other side.
func (m *mechanism) edge(at time.Duration) bool {
	const near = 100 * time.Millisecond
	for _, edge := range []time.Duration{m.rule.From, m.rule.To} {
		if edge > 0 && at > edge-near && at < edge+near {
			return true
		}
	}
	return false
}
