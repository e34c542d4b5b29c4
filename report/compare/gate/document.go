package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/report/export"
)

const (
	// maxCell is the maximum length of a name or reason, in characters.
	maxCell = 400
	// maxDetails is the maximum number of scenarios with a section: job summaries are limited to 1 MiB.
	maxDetails = 50
	// maxShown is the maximum number of lines of the worst result on one screen.
	maxShown = 8
)

// Document returns the worst outcome, a row per scenario, the worst first, and the details of
// each. Its Data is the JSON form.
func Document(list []Result) *document.Document {
	sorted := make([]*Result, 0, len(list))
	for i := range list {
		sorted = append(sorted, &list[i])
	}
	slices.SortStableFunc(sorted, func(a, b *Result) int { return cmp.Compare(b.Outcome, a.Outcome) })
	counts, separator := document.Counted(len(sorted), "scenario"), ": "
	for left := sorted; len(left) > 0; separator = ", " {
		n := sameOutcome(left)
		counts += fmt.Sprintf("%s%d %s", separator, n, left[0].Outcome)
		left = left[n:]
	}
	d := &document.Document{Title: "loadgen gate", Subtitle: counts, Answer: answer(sorted), Data: verdictOf(list)}
	t := document.NewTable("scenarios", "Scenarios", "scenario|words", "verdict|words", "runs|words|spare=1", "reason|words")
	for _, r := range sorted {
		state, _ := r.Outcome.State()
		tone := document.ToneOf(state)
		t.Add(tone, document.Cut(export.Plain(r.Scenario), maxCell), tone, r.Outcome, r.kind(), document.Cut(r.sentence(), maxCell))
	}
	if len(sorted) > 1 {
		d.Show(t)
	}
	if len(sorted) > 0 {
		lines, count := sorted[0].lines(), len(sorted[0].Notes)
		notes := lines[len(lines)-count:]
		d.Show(document.Facts{Lines: lines[:len(lines)-count], Max: maxShown})
		lines = notes[:min(count, maxShown)]
		if repeat := sorted[0].Repeat; repeat != "" {
			lines = append(lines, "the run: "+export.Plain(repeat))
		}
		d.Show(document.Facts{Lines: lines})
	}
	d.Add("scenarios", "Scenarios", t)
	for i, r := range sorted {
		if i == maxDetails {
			d.Add("left-out", "Left out", document.Paragraph{Text: fmt.Sprintf("The details of %d more scenarios.", len(sorted)-i)})
			break
		}
		d.Add(fmt.Sprintf("scenario-%d", i+1), document.Cut(export.Plain(r.Scenario), maxCell)+": "+r.Outcome.String(),
			r.metricsTable(i+1), document.List{Items: r.lines()})
	}
	return d
}

// sameOutcome returns how many results from the first on have its outcome.
func sameOutcome(sorted []*Result) int {
	n := slices.IndexFunc(sorted, func(r *Result) bool { return r.Outcome != sorted[0].Outcome })
	if n < 0 {
		return len(sorted)
	}
	return n
}

// answer returns the worst outcome and its number of scenarios.
func answer(sorted []*Result) document.Answer {
	if len(sorted) == 0 {
		return document.Answer{Claim: "NO SCENARIOS"}
	}
	worst := sorted[0]
	state, _ := worst.Outcome.State()
	a := document.Answer{State: state, Claim: strings.ToUpper(worst.Outcome.String())}
	if len(sorted) == 1 {
		a.Claim += ": " + document.Cut(export.Plain(worst.Scenario), maxCell)
		a.Says = []string{export.Plain(worst.Reason)}
		if worst.Against != "" {
			a.Says = append(a.Says, "against "+export.Plain(worst.Against))
		}
		return a
	}
	a.Number, a.Unit = document.Count(int64(sameOutcome(sorted))), fmt.Sprintf("of %d scenarios", len(sorted))
	a.Claim += " in " + a.Number + " " + a.Unit
	if state != document.Holds {
		a.Says = []string{document.Cut(export.Plain(worst.Scenario), maxCell) + ": " + worst.sentence()}
	}
	return a
}

// metricsTable returns the judged metrics of one scenario.
func (r *Result) metricsTable(number int) document.Table {
	t := document.NewTable(fmt.Sprintf("metrics-%d", number), "", "metric|words", "A", "B", "change|change", "interval|change", "p|chance", "pairs")
	if r.Judgement == nil {
		return t
	}
	for i := range r.Judgement.Findings {
		f := &r.Judgement.Findings[i]
		as := document.Figures
		if _, _, isTime := unitOf(f.Metric); isTime {
			as = func(nanoseconds float64) string { return document.Lapse(time.Duration(nanoseconds)) }
		}
		state, _ := f.Verdict.State()
		t.Add(export.Plain(f.Metric), as(f.A), as(f.B), document.ToneOf(state), f.Change, f.Interval, f.Adjusted, f.Pairs)
	}
	return t
}

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
