package chart_test

import (
	"bytes"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
)

func TestTicksAreFewAndOnTheAxis(t *testing.T) {
	type ticks = func(least, greatest float64) []plot.Tick
	linear, times, clock, days := ticks(chart.LinearTicks), ticks(chart.TimeTicks), ticks(chart.ClockTicks), ticks(chart.DayTicks)
	for _, row := range []struct {
		name            string
		ticks           ticks
		least, greatest float64
		labels          int
		first, last     string
	}{
		{"counts up to one", linear, 0, 1.06, 11, "0", "1"},
		{"counts up to a million", linear, 0, 1.06e6, 11, "0", "1M"},
		{"less than one a second", linear, 0, 0.01, 11, "0", "0.01"},
		{"the greatest counts", linear, 0, math.MaxInt64, 11, "0", ""},
		{"seconds late in a long run", linear, 86400, 86460, 11, "86,400", "86,460"},
		{"the shortest durations", times, 0.5, 5, 11, "0.5 µs", "5 µs"},
		{"one decade", times, 3000, 30000, 11, "", ""},
		{"a microsecond to an hour", times, 0.5, 4e9, 11, "1 µs", "1,000 s"},
		{"100 µs to 20 s", times, 100, 2e7, 6, "100 µs", "10 s"},
		{"seconds of a run", clock, 0, 8, 9, "0 s", "8 s"},
		{"some minutes", clock, 0, 240, 9, "0 s", "240 s"},
		{"ten minutes", clock, 0, 600, 9, "0 min", "10 min"},
		{"an hour", clock, 0, 3600, 9, "0 min", "60 min"},
		{"a day", clock, 0, 86400, 9, "0 h", "20 h"},
		{"ages", clock, 0, 1e18, 10, "0 h", ""},
		{"the end of a run", clock, 90, 100, 9, "90 s", "100 s"},
		{"a night", days, 20_000, 20_001, 2, "", ""},
		{"a week", days, 20_000, 20_007, 8, "", ""},
		{"a year", days, 20_000, 20_365, 6, "", ""},
		{"ten years", days, 20_000, 23_650, 9, "", ""},
		{"all of time", days, 20_000, 3e6, 9, "", ""},
	} {
		var labels []string
		last := math.Inf(-1)
		for _, tick := range row.ticks(row.least, row.greatest) {
			assert.Truef(t, tick.Value >= row.least && tick.Value <= row.greatest && tick.Value > last,
				"%s: a tick at %v after %v; want them rising in %v to %v", row.name, tick.Value, last, row.least, row.greatest)
			last = tick.Value
			assert.Falsef(t, slices.Contains(labels, tick.Label), "%s: two ticks say %q", row.name, tick.Label)
			if tick.Label != "" {
				labels = append(labels, tick.Label)
			}
			if at, err := time.Parse(time.DateOnly, tick.Label); err == nil && float64(at.Unix()) != tick.Value*86_400 {
				t.Errorf("%s: the label %s stands at %v", row.name, tick.Label, tick.Value)
			}
		}
		if len(labels) == 0 || len(labels) > row.labels || row.first != "" && labels[0] != row.first || row.last != "" && labels[len(labels)-1] != row.last {
			t.Errorf("%s: the labels are %q; want %d at most, from %s to %s", row.name, labels, row.labels, row.first, row.last)
		}
	}
}

// nightOf returns an instant of the n-th night.
func nightOf(n int) time.Time { return time.Date(2026, 3, 1+n, 2, 0, 0, 0, time.UTC) }

// trendAround is a metric with these values, a night each.
func trendAround(unit string, values ...float64) chart.TrendMetric {
	var points []chart.TrendPoint
	for n, value := range values {
		points = append(points, chart.TrendPoint{At: nightOf(n), Value: value})
	}
	return chart.TrendMetric{Name: "p99(get)", Unit: unit, Lines: [][]chart.TrendPoint{points}}
}

// drawTrend returns a trend as SVG, the same twice.
func drawTrend(t *testing.T, trend *chart.Trend) string {
	t.Helper()
	folder := new(results.Memory)
	for _, name := range []string{"a.svg", "b.SVG"} {
		require.NoError(t, trend.Figure().SaveAs(folder, name))
	}
	assert.True(t, bytes.Equal(folder.Bytes("a.svg"), folder.Bytes("b.SVG")), "the trend differs when it is drawn again")
	return string(folder.Bytes("a.svg"))
}

func TestTrendChart(t *testing.T) {
	of := func(m chart.TrendMetric) *chart.Trend {
		return &chart.Trend{Title: "orders", Metrics: []chart.TrendMetric{m}}
	}
	stepped := of(trendAround("us", 10_000, 10_100, 12_000, 12_100))
	stepped.Metrics[0].Steps = []chart.TrendPoint{{At: nightOf(2), Words: "+19.9%"}}
	stepped.Metrics[0].Levels = [][]chart.TrendPoint{{{At: nightOf(0), Value: 10_050}, {At: nightOf(1), Value: 10_050}}}
	stepped.Breaks = []chart.TrendPoint{{At: nightOf(3), Words: "series 2"}}
	two := of(trendAround("per_second", 1500, 1501))
	two.Metrics = append(two.Metrics, trendAround("share", 0, 0))
	hostile := of(trendAround("", math.MaxFloat64, -math.MaxFloat64))
	hostile.Title, hostile.Metrics[0].Name = "<b>\x1b", "<i>\n"
	many := of(trendAround("us", 1))
	many.Metrics = slices.Repeat(many.Metrics, 100)
	for _, row := range []struct {
		name  string
		trend *chart.Trend
		words string
	}{
		{"a step, its levels and another series", stepped, "orders|>+19.9%<|>series 2<|>mean between steps<|>step<|>12 ms<|>2026-03-03<|does not begin at 0|!no data"},
		{"a rate above a share that is always 0", two, ">1,500/s<|>0.2%<|night, by the date|!>step<"},
		{"values far apart begin at 0", of(trendAround("us", 1000, 9000)), ">0 µs<|>8 ms<|!does not begin"},
		{"a single night", of(trendAround("us", 5000)), ">2026-03-01<|>5 ms<|!NaN"},
		{"nothing", &chart.Trend{}, "no data: no metric"},
		{"a metric that no night tells", of(trendAround("us", math.NaN(), math.Inf(1))), "no data|!NaN"},
		{"values that nobody measures, and names nobody has", hostile, "&lt;b&gt;?|&lt;i&gt;|!NaN"},
		{"a loss of less than nothing", of(trendAround("share", -.5, .01)), "-20%|!NaN"},
		{"more metrics than there is room for", many, ">p99(get)|!no data"},
	} {
		resultstest.CheckWords(t, row.name, drawTrend(t, row.trend), row.words)
	}
}
