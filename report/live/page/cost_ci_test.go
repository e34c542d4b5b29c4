//go:build ci && unix

package page

import (
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/live"
	"loadgen/results"
	"loadgen/results/resultstest"
)

// aimed is the share of a core that a page may take that is open, at 10,000 operations a
// second on ten thousand partitions, throttled as they are served: the watch that is told of
// every attempt, and an update a second. On busy cores the same work takes up to half as much
// again, and the test fails at twice as much.
const aimed = 0.02

// TestCostOfAPage measures it over a minute that is played as fast as it goes, of a run that
// has gone on for so long that its page is as full as it gets.
func TestCostOfAPage(t *testing.T) {
	s, err := Open(Options{})
	require.NoError(t, err)
	defer s.Close()
	stats, now := live.New(), time.Duration(0)
	recorder := resultstest.Open(t, new(results.Memory), results.Manifest{Operations: []results.Kind{{Name: "get"}}})
	stats.Read(recorder)
	w := s.Begin(Run{Scenario: "dear", Cores: 2, Stats: stats, Now: func() time.Duration { return now }})
	w.end() // the test takes the seconds
	s.watches.Wait()
	for second := range int64(maxSamples - 1) {
		w.history.add(sample{second: float64(second), served: float64(second % 97), p50: new(float64(second)), p99: new(float64(second * 3)), cpu: new(40.), late: new(0.1)})
	}
	w.next.Store(maxSamples)
	for n := range maxMarks {
		w.Event(results.Event{At: int64(n) * 1e9, What: results.PhaseBegins, Phase: keyOf(n)})
	}
	stats.Enter("peak", 1<<40, time.Hour)
	peak := results.Phase{Name: "peak", End: time.Hour, Rate: 10_000}
	stats.Phase(recorder.Phase(peak), &peak)
	chance := rand.New(rand.NewPCG(32, 2))
	var told, shown time.Duration
	const seconds, rate = 60, 10_000
	bytes := 0
	for second := range seconds {
		list := drawn(chance, time.Duration(maxSamples+second)*time.Second, rate)
		for i := range list {
			resultstest.Single(recorder, list[i])
		}
		began := used(t)
		for i := range list {
			w.Attempt(&list[i])
		}
		told += used(t) - began
		now = time.Duration(maxSamples+second+1)*time.Second + grace
		began = used(t)
		w.advance(now)
		require.NoError(t, recorder.Advance(now-2*time.Second))
		update, err := s.fresh()
		shown += used(t) - began
		require.NoError(t, err)
		bytes = max(bytes, len(update))
	}
	share := (told + shown).Seconds() / seconds
	t.Logf("a page takes %.2f%% of a core at %d operations/s: %v a second to be told, %v to show, %d bytes", 100*share, rate, told/seconds, shown/seconds, bytes)
	assert.Truef(t, share <= 2*aimed,
		"a page takes %.2f%% of a core; want %.0f%%, and twice that at most", 100*share, 100*aimed)
}

// drawn are the attempts of a second: half at one of a few partitions, half at one of ten
// thousand, and a third of them throttled.
func drawn(chance *rand.Rand, second time.Duration, number int) []results.Attempt {
	list := make([]results.Attempt, number)
	for i := range list {
		at := second + time.Duration(i)*time.Second/time.Duration(number)
		key := chance.IntN(maxCounted)
		if i%2 == 0 {
			key = chance.IntN(16)
		}
		list[i] = results.Attempt{Number: uint64(i), Intended: at, Sent: at, Done: at, HasPartition: true, PartitionKey: keyOf(key), Entities: 1, Class: results.Ok, Counted: 1}
		if i%3 == 0 {
			list[i].Class, list[i].Counted = results.Throttled, 0
		}
	}
	return list
}

// used returns the CPU that the process has used.
func used(t *testing.T) time.Duration {
	t.Helper()
	var all syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &all))
	return time.Duration(all.Utime.Nano() + all.Stime.Nano())
}
