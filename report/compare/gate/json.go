package gate

import (
	"encoding/json"

	"loadgen/report/compare"
)

// metric is a differing value of runs in virtual time, or a judged metric of live ones.
type metric struct {
	Scenario string      `json:"scenario"`
	Metric   string      `json:"metric"`
	Verdict  string      `json:"verdict"`
	A        any         `json:"a"`
	B        any         `json:"b"`
	Change   *float64    `json:"change"`
	Interval *[2]float64 `json:"interval"`
	P        *float64    `json:"p"`
	Adjusted *float64    `json:"p_holm"`
	Pairs    int         `json:"pairs"`
}

// scenario is one result of the JSON form.
type scenario struct {
	Scenario string          `json:"scenario"`
	Outcome  compare.Outcome `json:"verdict"`
	Virtual  bool            `json:"virtual"`
	Reason   string          `json:"reason"`
	Against  string          `json:"against"`
	State    string          `json:"state"`
	Ok       *bool           `json:"ok"`
	Differ   int             `json:"values_that_differ"`
	Notes    []string        `json:"notes"`
}

// verdict is the JSON form of all results.
type verdict struct {
	Verdict   compare.Outcome `json:"verdict"`
	State     string          `json:"state"`
	Ok        *bool           `json:"ok"`
	Metrics   []metric        `json:"metrics"`
	Scenarios []scenario      `json:"scenarios"`
}

func verdictOf(list []Result) *verdict {
	all := &verdict{Metrics: []metric{}, Scenarios: []scenario{}, Verdict: worst(list)}
	all.State, all.Ok = all.Verdict.State()
	for i := range list {
		r := &list[i]
		one := scenario{Scenario: r.Scenario, Outcome: r.Outcome, Virtual: r.Virtual, Reason: r.Reason, Against: r.Against,
			Notes: append([]string{}, r.Notes...)}
		one.State, one.Ok = r.Outcome.State()
		if r.Difference != nil {
			one.Differ = r.Difference.Total
			for _, e := range r.Difference.Entries {
				all.Metrics = append(all.Metrics, metric{Scenario: r.Scenario, Metric: e.Path, Verdict: e.Kind.String(),
					A: raw(e.Was), B: raw(e.Is), Change: e.Change})
			}
		}
		if r.Judgement != nil {
			for i := range r.Judgement.Findings {
				f := &r.Judgement.Findings[i]
				all.Metrics = append(all.Metrics, metric{Scenario: r.Scenario, Metric: f.Metric, Verdict: f.Verdict.String(), A: f.A, B: f.B,
					Change: &f.Change, Interval: f.Interval, P: &f.P, Adjusted: &f.Adjusted, Pairs: f.Pairs})
			}
		}
		all.Scenarios = append(all.Scenarios, one)
	}
	return all
}

// raw returns a value of a difference as JSON, as a string if it is truncated, and nil for no value.
func raw(text string) any {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if text == "" {
		return nil
	}
	return text
}
