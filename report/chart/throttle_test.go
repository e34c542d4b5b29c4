package chart_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestThrottleBarsOfALongRunKeepTheirSums(t *testing.T) {
	for seconds, most := range map[int]int{0: 0, 1: 1, 600: 600, 601: chart.MaxSeconds, 7200: 600} {
		rng := rand.New(rand.NewPCG(3, uint64(seconds)))
		record := &results.Record{Phases: []results.Phase{{Name: "step", Reported: true}, {Name: "load"}}}
		var want chart.ThrottleBar
		for i := range seconds {
			second := results.Interval{Second: int64(2*i + 1), Phase: "step",
				Counts: results.Counts{Served: rng.Int64N(3000), Throttled: rng.Int64N(3000), Failed: rng.Int64N(3)}}
			want.Served, want.Throttled, want.Failed = want.Served+second.Served, want.Throttled+second.Throttled, want.Failed+second.Failed
			want.Seconds++
			record.Intervals = append(record.Intervals, results.Interval{Second: int64(2 * i), Phase: "load", Counts: results.Counts{Served: 9}}, second)
		}
		bars := chart.ThrottleBars(record)
		assert.Truef(t, len(bars) <= most && 3*len(bars) >= most, "%d bars of %d seconds; want at most %d", len(bars), seconds, most)
		var got chart.ThrottleBar
		for _, b := range bars {
			got.Served, got.Throttled, got.Failed = got.Served+b.Served, got.Throttled+b.Throttled, got.Failed+b.Failed
			got.Seconds += b.Seconds
		}
		assert.Equal(t, want, got, "the sums of %d seconds", seconds)
	}
}

func schedule(name string, waits ...results.RetryWait) results.RetrySchedule {
	return results.RetrySchedule{Policy: name, Waits: waits}
}

// drawnSVG returns the SVG of a drawing, beside which there is a PNG.
func drawnSVG(t *testing.T, name string, f *chart.Figure) string {
	t.Helper()
	folder := new(results.Memory)
	names, err := chart.Save(folder, f)
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
		svg := drawnSVG(t, "schedules", chart.Schedules(row.schedules))
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
		svg := drawnSVG(t, "retries", chart.Retries(row.contest))
		resultstest.CheckWords(t, row.name, svg, row.words)
		assert.Equal(t, row.bars, strings.Count(svg, "fill:#D55E00"), row.name)
	}
}
