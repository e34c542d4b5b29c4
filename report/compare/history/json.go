package history

import (
	"time"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// toldMetric is a step of a metric, or that there is none in a series.
type toldMetric struct {
	Scenario string `json:"scenario"`
	// Series counts from 1.
	Series  int             `json:"series"`
	Metric  string          `json:"metric"`
	Unit    string          `json:"unit"`
	Verdict compare.Outcome `json:"verdict"`
	Nights  int             `json:"nights"`
	// Night is when the first night after the step was begun, A and B are the means
	// before and after. Of a metric without a step, B is the mean of all.
	Night    *string     `json:"night"`
	A        *float64    `json:"a"`
	B        *float64    `json:"b"`
	Change   *float64    `json:"change"`
	Interval *[2]float64 `json:"interval"`
	P        *float64    `json:"p"`
	// Variation is the standard deviation of the nights since the last step, as a part
	// of their mean.
	Variation *float64 `json:"variation"`
}

type toldNight struct {
	Begun   string   `json:"begun"`
	Runs    int      `json:"runs"`
	Commits []string `json:"commits"`
	// Values are by the columns of the metrics.
	Values map[string]*float64 `json:"values"`
}

type toldSeries struct {
	Differs []string    `json:"differs"`
	Nights  []toldNight `json:"nights"`
}

type toldScenario struct {
	Scenario string          `json:"scenario"`
	Verdict  compare.Outcome `json:"verdict"`
	State    string          `json:"state"`
	// Ok is null: that nothing steps is asked of no run.
	Ok      *bool        `json:"ok"`
	Reason  string       `json:"reason"`
	Runs    int          `json:"runs"`
	Virtual bool         `json:"virtual"`
	Left    Left         `json:"left_out"`
	Series  []toldSeries `json:"series"`
}

// toldHistory is the JSON form: each step, or that a series has none; and every night.
type toldHistory struct {
	Verdict   compare.Outcome `json:"verdict"`
	State     string          `json:"state"`
	Ok        *bool           `json:"ok"`
	Metrics   []toldMetric    `json:"metrics"`
	Scenarios []toldScenario  `json:"scenarios"`
	Unread    []Unread        `json:"unread"`
}

func (d *Document) told() *toldHistory {
	all := &toldHistory{Verdict: d.Outcome(), Metrics: []toldMetric{}, Scenarios: []toldScenario{}, Unread: append([]Unread{}, d.Unread...)}
	all.State, _ = all.Verdict.State()
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		told := toldScenario{Scenario: s.Name, Verdict: s.Outcome(), Reason: s.Sentence(), Runs: s.Runs, Virtual: s.Virtual,
			Left: s.Left, Series: []toldSeries{}}
		told.State, _ = told.Verdict.State()
		for number := range s.Series {
			series := &s.Series[number]
			one := toldSeries{Differs: append([]string{}, series.Differs...)}
			for _, night := range series.Nights {
				values := make(map[string]*float64, len(d.Metrics))
				for m, metric := range d.Metrics {
					values[metric.Column()] = document.Finite(night.Values[m])
				}
				one.Nights = append(one.Nights, toldNight{night.Begun.Format(time.RFC3339), night.Runs, append([]string{}, night.Commits...), values})
			}
			told.Series = append(told.Series, one)
			for t := range series.Trends {
				all.Metrics = append(all.Metrics, series.Trends[t].told(s.Name, number+1)...)
			}
		}
		all.Scenarios = append(all.Scenarios, told)
	}
	return all
}

func (t *Trend) told(scenario string, series int) []toldMetric {
	one := toldMetric{Scenario: scenario, Series: series, Metric: t.Metric.String(), Unit: t.Metric.Unit(),
		Nights: t.Nights, Variation: document.Finite(t.Variation)}
	if len(t.Steps) == 0 {
		one.Verdict = compare.NoStep
		if len(t.Stretches) > 0 {
			one.B = document.Finite(t.Stretches[0].Mean)
		}
		if t.Nights < FewestNights {
			one.Verdict = compare.TooFew
		}
		return []toldMetric{one}
	}
	var list []toldMetric
	for _, step := range t.Steps {
		night := step.Night.Format(time.RFC3339)
		one.Verdict, one.Night = compare.Stepped, &night
		one.A, one.B, one.Change, one.P = document.Finite(step.Before), document.Finite(step.After), document.Finite(step.Change), document.Finite(step.P)
		list = append(list, one)
	}
	return list
}
