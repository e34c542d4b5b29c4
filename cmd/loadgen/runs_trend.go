package main

import (
	"fmt"

	"loadgen/report/chart"
	"loadgen/report/compare"
	"loadgen/report/nights"
)

// trendOf returns what is drawn of a history.
func trendOf(metrics []nights.Metric, s *nights.Scenario) *chart.Trend {
	trend := &chart.Trend{Title: s.Sentence(), Subtitle: fmt.Sprintf("%d runs, those begun within six hours are a night  ·  steps of %v %% at least, p = %v at most",
		s.Runs, 100*compare.DefaultLeastChange, compare.DefaultP)}
	for i := 1; i < len(s.Series); i++ {
		trend.Breaks = append(trend.Breaks, chart.TrendBreak{At: s.Series[i].Nights[0].Begun, Words: fmt.Sprintf("series %d", i+1)})
	}
	for m, metric := range metrics {
		panel := chart.TrendMetric{Name: metric.String(), Unit: metric.Unit()}
		for i := range s.Series {
			addSeries(&panel, &s.Series[i], m)
		}
		trend.Metrics = append(trend.Metrics, panel)
	}
	return trend
}

// addSeries adds the m-th metric of a series to a panel.
func addSeries(panel *chart.TrendMetric, series *nights.Series, m int) {
	var line []chart.TrendPoint
	for _, night := range series.Nights {
		line = append(line, chart.TrendPoint{At: night.Begun, Value: night.Values[m]})
	}
	panel.Lines = append(panel.Lines, line)
	trend := &series.Trends[m]
	for i := range trend.Steps {
		panel.Steps = append(panel.Steps, chart.TrendStep{At: trend.Steps[i].Night, Words: trend.Steps[i].Short()})
	}
	for _, stretch := range trend.Stretches {
		panel.Levels = append(panel.Levels, chart.TrendLevel{From: stretch.From, To: stretch.To, Value: stretch.Mean})
	}
}
