package chart_test

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
	"loadgen/results/resultstest"
)

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
		require.NoError(t, chart.DrawTrend(folder, name, trend))
	}
	assert.True(t, bytes.Equal(folder.Bytes("a.svg"), folder.Bytes("b.SVG")), "the trend differs when it is drawn again")
	return string(folder.Bytes("a.svg"))
}

func TestTrendChart(t *testing.T) {
	of := func(m chart.TrendMetric) *chart.Trend {
		return &chart.Trend{Title: "orders", Metrics: []chart.TrendMetric{m}}
	}
	stepped := of(trendAround("us", 10_000, 10_100, 12_000, 12_100))
	stepped.Metrics[0].Steps = []chart.TrendStep{{At: nightOf(2), Words: "+19.9 %"}}
	stepped.Metrics[0].Levels = []chart.TrendLevel{{From: nightOf(0), To: nightOf(1), Value: 10_050}}
	stepped.Breaks = []chart.TrendStep{{At: nightOf(3), Words: "series 2"}}
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
		{"a step, its levels and another series", stepped, "orders|>+19.9 %<|>series 2<|>mean between steps<|>step<|>12 ms<|>2026-03-03<|does not begin at 0|!no data"},
		{"a rate above a share that is always 0", two, ">1,500/s<|>0.2 %<|night, by the date|!>step<"},
		{"values far apart begin at 0", of(trendAround("us", 1000, 9000)), ">0 µs<|>8 ms<|!does not begin"},
		{"a single night", of(trendAround("us", 5000)), ">2026-03-01<|>5 ms<|!NaN"},
		{"nothing", &chart.Trend{}, "no data: no metric"},
		{"a metric that no night tells", of(trendAround("us", math.NaN(), math.Inf(1))), "no data: no night tells p99(get)|!NaN"},
		{"values that nobody measures, and names nobody has", hostile, "&lt;b&gt;?|&lt;i&gt;|!NaN"},
		{"a loss of less than nothing", of(trendAround("share", -.5, .01)), "-20 %|!NaN"},
		{"more metrics than there is room for", many, ">p99(get)|!no data"},
	} {
		resultstest.CheckWords(t, row.name, drawTrend(t, row.trend), row.words)
	}
}

// Each series is a line of its own, and each step a line of its own across the panel.
func TestTrendChartParts(t *testing.T) {
	lines := func(colour string, trend *chart.Trend) int {
		return strings.Count(drawTrend(t, trend), "stroke:"+colour)
	}
	of := func(series, steps int) *chart.Trend {
		m := trendAround("us", 10, 11, 12)
		m.Lines = slices.Repeat(m.Lines, series)
		for n := range steps {
			m.Steps = append(m.Steps, chart.TrendStep{At: nightOf(n), Words: "+1 %"})
		}
		return &chart.Trend{Metrics: []chart.TrendMetric{m}}
	}
	const night, step = "#CC79A7", "#000000"
	assert.Equal(t, lines(night, of(1, 0))+1, lines(night, of(2, 0)), "lines of one series, of two")
	// The legend draws one, too.
	if none, one, two := lines(step, of(1, 0)), lines(step, of(1, 1)), lines(step, of(1, 2)); none != 0 || one != 2 || two != 3 {
		t.Errorf("%d, %d and %d lines of none, one and two steps; want 0, 2 and 3", none, one, two)
	}
}

func TestTrendIsWrittenOrNot(t *testing.T) {
	folder := new(results.Memory)
	trend := &chart.Trend{Metrics: []chart.TrendMetric{trendAround("us", 1, 2)}}
	if err := chart.DrawTrend(folder, "a.png", trend); err != nil || !bytes.HasPrefix(folder.Bytes("a.png"), []byte("\x89PNG")) {
		t.Errorf("a PNG is %.8q, %v", folder.Bytes("a.png"), err)
	}
	assert.ErrorIs(t, chart.DrawTrend(results.Dir(t.TempDir()+"/nowhere"), "a.png", trend), results.ErrWrite,
		"drawing into a folder that is not there")
}
