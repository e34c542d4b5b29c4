package history

import (
	"fmt"

	"loadgen/report/chart"
	"loadgen/report/compare"
	"loadgen/results"
)

// Draw draws the nights of a scenario into a file of a folder, PNG or SVG by its ending.
// Its error is that of [chart.DrawTrend].
func Draw(folder results.Folder, name string, metrics []Metric, s *Scenario) error {
	trend := &chart.Trend{Title: s.Sentence(), Subtitle: fmt.Sprintf("%d runs, those begun within six hours are a night  ·  steps of %v %% at least, p = %v at most",
		s.Runs, 100*compare.DefaultLeastChange, compare.DefaultP)}
	for i := 1; i < len(s.Series); i++ {
		trend.Breaks = append(trend.Breaks, chart.TrendStep{At: s.Series[i].Nights[0].Begun, Words: fmt.Sprintf("series %d", i+1)})
	}
	for m, metric := range metrics {
		panel := chart.TrendMetric{Name: metric.String(), Unit: metric.Unit()}
		for i := range s.Series {
			var line []chart.TrendPoint
			for _, night := range s.Series[i].Nights {
				line = append(line, chart.TrendPoint{At: night.Begun, Value: night.Values[m]})
			}
			panel.Lines = append(panel.Lines, line)
			for _, step := range s.Series[i].Trends[m].Steps {
				panel.Steps = append(panel.Steps, chart.TrendStep{At: step.Night, Words: step.Short()})
			}
			for _, stretch := range s.Series[i].Trends[m].Stretches {
				panel.Levels = append(panel.Levels, chart.TrendLevel{From: stretch.From, To: stretch.To, Value: stretch.Mean})
			}
		}
		trend.Metrics = append(trend.Metrics, panel)
	}
	return chart.DrawTrend(folder, name, trend)
}
