package history

import (
	"time"

	"loadgen/report/compare"
	"loadgen/report/document"
)

// jsonMetric is a step of a metric, or a metric without steps in a series.
type jsonMetric struct {
	// A and B are the means before and after the step. Without a step, B is the mean of all nights.
	compare.Finding
	// Series counts from 1.
	Series int `json:"series"`
	Nights int `json:"nights"`
	// Night is the start of the first night after the step.
	Night *string `json:"night"`
	// Variation is the relative standard deviation of the nights since the last step.
	Variation *float64 `json:"variation"`
}

type jsonNight struct {
	Begun   string   `json:"begun"`
	Runs    int      `json:"runs"`
	Commits []string `json:"commits"`
	Causes  []string `json:"version_and_labels"`
	// Values are keyed by the columns of the metrics.
	Values map[string]*float64 `json:"values"`
}

type jsonSeries struct {
	Differs []string    `json:"differs"`
	Nights  []jsonNight `json:"nights"`
}

type jsonScenario struct {
	Scenario string          `json:"scenario"`
	Verdict  compare.Outcome `json:"verdict"`
	State    string          `json:"state"`
	// Ok is always null: history has no pass or fail.
	Ok      *bool        `json:"ok"`
	Reason  string       `json:"reason"`
	Runs    int          `json:"runs"`
	Virtual bool         `json:"virtual"`
	Left    Left         `json:"left_out"`
	Series  []jsonSeries `json:"series"`
}

// jsonHistory is the JSON form of a document.
type jsonHistory struct {
	Verdict   compare.Outcome `json:"verdict"`
	State     string          `json:"state"`
	Ok        *bool           `json:"ok"`
	Metrics   []jsonMetric    `json:"metrics"`
	Scenarios []jsonScenario  `json:"scenarios"`
	Unread    []Unread        `json:"unread"`
}

func (d *Document) json() *jsonHistory {
	all := &jsonHistory{Verdict: d.Outcome(), Metrics: []jsonMetric{}, Scenarios: []jsonScenario{}, Unread: append([]Unread{}, d.Unread...)}
	all.State, _ = all.Verdict.State()
	for i := range d.Scenarios {
		s := &d.Scenarios[i]
		scenario := jsonScenario{Scenario: s.Name, Verdict: s.Outcome(), Reason: s.Sentence(), Runs: s.Runs, Virtual: s.Virtual,
			Left: s.Left, Series: []jsonSeries{}}
		scenario.State, _ = scenario.Verdict.State()
		for number := range s.Series {
			series := &s.Series[number]
			one := jsonSeries{Differs: append([]string{}, series.Differs...)}
			for _, night := range series.Nights {
				values := make(map[string]*float64, len(d.Metrics))
				for m, metric := range d.Metrics {
					values[metric.Column()] = document.Finite(night.Values[m])
				}
				one.Nights = append(one.Nights, jsonNight{night.Begun.Format(time.RFC3339), night.Runs, append([]string{}, night.Commits...), append([]string{}, night.Causes...), values})
			}
			scenario.Series = append(scenario.Series, one)
			for t := range series.Trends {
				all.Metrics = append(all.Metrics, series.Trends[t].json(s.Name, number+1)...)
			}
		}
		all.Scenarios = append(all.Scenarios, scenario)
	}
	return all
}

func (t *Trend) json(scenario string, series int) []jsonMetric {
	one := jsonMetric{Finding: compare.Finding{Scenario: scenario, Metric: t.Metric.Name, Unit: t.Metric.Unit},
		Series: series, Nights: t.Nights, Variation: document.Finite(t.Variation)}
	if len(t.Steps) == 0 {
		one.Verdict = compare.NoStep
		if len(t.Stretches) > 0 {
			one.B = document.Finite(t.Stretches[0].Mean)
		}
		if t.Nights < minNights {
			one.Verdict = compare.TooFew
		}
		return []jsonMetric{one}
	}
	var list []jsonMetric
	for _, step := range t.Steps {
		night := step.Night.Format(time.RFC3339)
		one.Verdict, one.Night = compare.Stepped, &night
		one.A, one.B, one.Change, one.P = document.Finite(step.Before), document.Finite(step.After), document.Finite(step.Change), document.Finite(step.P)
		list = append(list, one)
	}
	return list
}
