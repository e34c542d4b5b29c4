//go:build long && unix

package protocol_test

import (
	"encoding/json"
	"fmt"
	"math"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/results"
	"loadgen/scenarios/fleet/protocol"
)

// spent is the CPU time of this process so far, in user mode.
func spent(t *testing.T) time.Duration {
	t.Helper()
	var usage syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano())
}

// busy is a second of two operations, with so many response times each between one
// millisecond and some hundreds.
func busy(draw *clock.Draw, number, count int) protocol.Second {
	s := protocol.Second{Interval: results.Interval{Second: int64(number), Counts: results.Counts{Scheduled: int64(2 * count), Sent: int64(2 * count), Attempts: int64(2 * count), Ok: int64(2 * count), Succeeded: int64(2 * count)}}}
	for _, name := range []string{"insert", "get"} {
		h := results.NewHistogram()
		for range count {
			h.Record(time.Duration(float64(time.Millisecond) * math.Exp(5*draw.Float64())))
		}
		s.Interval.Kinds = append(s.Interval.Kinds, results.IntervalKind{Name: name, Counts: results.Counts{Attempts: int64(count), Ok: int64(count)}})
		s.Response = append(s.Response, h)
	}
	return s
}

// What a fleet of 64 costs its leader: to read a histogram and merge it at most 0.3 ms, and
// 5% of a core where each tells a second of two operations and two beats each second. The
// bounds are twice that, for machines that are half as fast.
func TestCostOfAFleet(t *testing.T) {
	const members, seconds, each = 64, 10, 500
	l, err := protocol.NewLeader(protocol.Plan{Members: members, Deadline: time.Minute, Version: version, StartAfter: time.Second,
		Assignment: protocol.Assignment{Scenario: scenario, SHA256: sum(scenario)}})
	require.NoError(t, err)
	number := uint64(0)
	text := func(a protocol.Request) []byte {
		number++
		a.SchemaVersion, a.Number = protocol.SchemaVersion, number
		written, err := json.Marshal(&a)
		require.NoError(t, err)
		return written
	}
	epoch := func(m int) string { return fmt.Sprintf("epoch%d", m) }
	for m := range members {
		l.Receive(0, epoch(m), text(protocol.Request{Epoch: epoch(m), Join: &protocol.Join{Name: epoch(m), Version: version}}))
	}
	beat := make([][]byte, members)
	for m := range members {
		beat[m] = text(protocol.Request{Epoch: epoch(m), Beat: &protocol.Heartbeat{Ready: true, Planned: 2 * each * seconds}})
		l.Receive(1, epoch(m), beat[m])
	}
	draw := clock.NewStream(1, "cost").Draw(0)
	told := make([][][]byte, seconds)
	size := 0
	for n := range seconds {
		for m := range members {
			one := text(protocol.Request{Epoch: epoch(m), Second: &protocol.SecondReport{Sequence: uint64(n), Second: busy(&draw, n, each)}})
			told[n], size = append(told[n], one), size+len(one)
		}
	}
	l.Events()
	sums := []*results.Histogram{results.NewHistogram(), results.NewHistogram()}
	before := spent(t)
	for n := range seconds {
		now := clock.Instant(time.Duration(n+2) * time.Second)
		for m := range members {
			l.Receive(now, epoch(m), told[n][m])
			l.Receive(now, epoch(m), beat[m])
			l.Receive(now.Add(time.Second/2), epoch(m), beat[m])
		}
		l.Tick(now.Add(time.Second / 2))
		for _, e := range l.Events() {
			for k := range sums {
				sums[k].Merge(e.Second.Response[k])
			}
		}
	}
	cost := spent(t) - before
	for k := range sums {
		require.EqualValues(t, members*seconds*each, sums[k].Count(), "response times were merged")
	}
	share, histogram := cost.Seconds()/seconds, cost/(2*members*seconds)
	t.Logf("%d members cost their leader %.2f%% of a core, %v a histogram with all that comes with it; a second is %d bytes", members, 100*share, histogram, size/(members*seconds))
	assert.Truef(t, share <= 0.10, "%.1f%% of a core; want 5, and at most 10", 100*share)
	assert.Truef(t, histogram <= 600*time.Microsecond, "%v a histogram; want 0.3 ms, and at most 0.6", histogram)
}
