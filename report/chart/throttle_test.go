package chart_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
)

func TestThrottleBarsEqualTheSecondsOfTheRecord(t *testing.T) {
	record := stress()
	reported := make(map[int64]results.Interval)
	for _, second := range record.Intervals {
		at := time.Duration(second.Second) * time.Second
		for _, phase := range record.Phases {
			if phase.Reported && phase.Begin <= at && at < phase.End {
				reported[second.Second] = second
			}
		}
	}
	bars := chart.ThrottleBars(record)
	require.Truef(t, len(bars) == len(reported) && len(bars) == 8,
		"%d bars for %d reported seconds; want 8 of each", len(bars), len(reported))
	var throttled int64
	for _, b := range bars {
		second := reported[b.From]
		want := chart.ThrottleBar{From: b.From, To: b.From + 1, Seconds: 1,
			Counts: results.Counts{Served: second.Served, Throttled: second.Throttled, Failed: second.Failed}}
		b.Counts = results.Counts{Served: b.Served, Throttled: b.Throttled, Failed: b.Failed}
		assert.Equal(t, want, b, "the bar of a second")
		throttled += b.Throttled
	}
	assert.True(t, throttled != 0, "nothing was throttled; want a record that shows refusals")
}

func TestThrottleBarsOfALongRunKeepTheirSums(t *testing.T) {
	for _, row := range []struct {
		name           string
		seconds, bars  int
		size, lastSize int64
	}{
		{"no second gives no bar", 0, 0, 0, 0},
		{"one second is one bar", 1, 1, 1, 1},
		{"six hundred are drawn one by one", 600, 600, 1, 1},
		{"one more halves them", 601, 301, 2, 1},
		{"half an hour and a second", 1801, 451, 4, 1},
		{"two hours", 7200, 600, 12, 12},
	} {
		rng := rand.New(rand.NewPCG(3, uint64(row.seconds)))
		record := &results.Record{Phases: []results.Phase{{Name: "step", Reported: true}, {Name: "load"}}}
		var want chart.ThrottleBar
		for i := range row.seconds {
			second := results.Interval{Second: int64(2*i + 1), Phase: "step",
				Counts: results.Counts{Served: rng.Int64N(3000), Throttled: rng.Int64N(3000), Failed: rng.Int64N(3)}}
			want.Served, want.Throttled, want.Failed = want.Served+second.Served, want.Throttled+second.Throttled, want.Failed+second.Failed
			want.Seconds++
			record.Intervals = append(record.Intervals, results.Interval{Second: int64(2 * i), Phase: "load", Counts: results.Counts{Served: 9}}, second)
		}
		bars := chart.ThrottleBars(record)
		if len(bars) != row.bars || len(bars) > chart.MostSeconds {
			t.Errorf("%s: %d bars; want %d", row.name, len(bars), row.bars)
			continue
		}
		var got chart.ThrottleBar
		for i, b := range bars {
			got.Served, got.Throttled, got.Failed = got.Served+b.Served, got.Throttled+b.Throttled, got.Failed+b.Failed
			got.Seconds += b.Seconds
			if size := b.Seconds; i < len(bars)-1 && size != row.size || i == len(bars)-1 && size != row.lastSize {
				t.Errorf("%s: bar %d is of %d seconds; want %d, of the last %d", row.name, i, size, row.size, row.lastSize)
			}
		}
		assert.Equal(t, want, got, row.name)
	}
}

func TestWaitBarsSumToTheWaits(t *testing.T) {
	record := stress()
	var sum, throttledAgain int64
	for _, b := range chart.WaitBars(record) {
		sum += b.Count
		assert.Truef(t, b.From >= 50_000 && b.To <= 2_000_000, "waits of %d to %d µs; want 50 ms to 2 s", b.From, b.To)
	}
	// Each attempt but the first of an operation came after a wait.
	for p := range record.Phases {
		for _, k := range record.Phases[p].Kinds {
			if record.Phases[p].Reported {
				throttledAgain += k.Attempts - k.Operations
			}
		}
	}
	assert.Truef(t, sum == throttledAgain && sum != 0, "the bars hold %d waits; want %d", sum, throttledAgain)
	assert.Nil(t, chart.WaitBars(&results.Record{}), "WaitBars of no waits")
}
