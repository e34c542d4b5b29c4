package chart_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
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
		if len(bars) != row.bars || len(bars) > chart.MaxSeconds {
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
		sum += b.Counts[0]
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

func schedule(name string, waits ...results.RetryWait) results.RetrySchedule {
	return results.RetrySchedule{Policy: name, Waits: waits}
}

// drawnSVG returns the SVG of a drawing, beside which there is a PNG.
func drawnSVG(t *testing.T, name string, draw func(results.Folder) ([]string, error)) string {
	t.Helper()
	folder := new(results.Memory)
	names, err := draw(folder)
	require.NoError(t, err)
	assert.Equal(t, []string{name + ".png", name + ".svg"}, names)
	return string(folder.Bytes(name + ".svg"))
}

func TestFanChart(t *testing.T) {
	wide := results.RetryWait{Retry: 1, SumLeastS: 1, SumMeanS: 2, SumGreatestS: 3}
	flat := results.RetryWait{Retry: 1, SumLeastS: 2, SumMeanS: 2, SumGreatestS: 2}
	for _, row := range []struct {
		name      string
		schedules []results.RetrySchedule
		words     string
		// flat are the shapes of the colour of a retry without any spread, the legend's among them.
		flat int
	}{
		{"a band and a flat one", []results.RetrySchedule{schedule("js", wide), schedule("fixed", flat)}, ">js<|>fixed<|>1 s<|!no data", 2},
		{"a band", []results.RetrySchedule{schedule("js", wide)}, ">js<", 1},
		{"nothing", nil, "no data", 0},
		{"a policy without retries", []results.RetrySchedule{schedule("none")}, "no data", 0},
		{"waits of nothing", []results.RetrySchedule{schedule("zero", results.RetryWait{Retry: 1})}, "no data", 0},
		{"times that are none", []results.RetrySchedule{schedule("odd", wide, results.RetryWait{Retry: 2, SumLeastS: math.NaN(), SumMeanS: math.Inf(1), SumGreatestS: 5})},
			">odd<|!NaN", 1},
		{"a hostile name", []results.RetrySchedule{schedule("<b>\x1b", wide)}, "&lt;b&gt;?|!<b>", 1},
	} {
		svg := drawnSVG(t, "schedules", func(f results.Folder) ([]string, error) { return chart.DrawSchedules(f, row.schedules) })
		resultstest.CheckWords(t, row.name, svg, row.words)
		assert.Equalf(t, row.flat, strings.Count(svg, "fill:#D55E00"), "%s: shapes of the colour of a flat retry", row.name)
	}
}

func TestRetriesChart(t *testing.T) {
	strips := func(counts ...int64) *results.PolicyContest {
		return &results.PolicyContest{Trouble: "an outage of 1s", Clients: 5, TroubleS: 1,
			Policies: []results.PolicyTrial{{Policy: "js", RetriesPer100ms: counts, PeakRetries: 9}, {Policy: "none"}}}
	}
	for _, row := range []struct {
		name    string
		contest *results.PolicyContest
		words   string
		// bars is one for each tenth of a second with retries, beside two of the legend.
		bars int
	}{
		{"strips of two policies", strips(0, 3, 9, 0, 1), ">js<|>none<|>9<|since the trouble|at most 9 retries", 5},
		{"all tenths", strips(4, 4, 4), ">js<", 5},
		{"two of three tenths", strips(4, 0, 4), ">js<", 4},
		{"no policy", &results.PolicyContest{}, "no data", 0},
		{"counts that cannot be", strips(-5, math.MaxInt64), ">js<", 3},
	} {
		svg := drawnSVG(t, "retries", func(f results.Folder) ([]string, error) { return chart.DrawRetries(f, row.contest) })
		resultstest.CheckWords(t, row.name, svg, row.words)
		assert.Equal(t, row.bars, strings.Count(svg, "fill:#D55E00"), row.name)
	}
}
