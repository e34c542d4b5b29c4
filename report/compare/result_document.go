package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

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

// ResultsDocument returns the worst outcome, a row per scenario, the worst first, and the details of
// each. Its Data is the JSON form.
func ResultsDocument(list []Result) *document.Document {
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
	d := &document.Document{Title: "loadgen gate", Subtitle: counts, Answer: worstAnswer(sorted), Data: jsonOfResults(list)}
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

// worstAnswer returns the worst outcome and its number of scenarios.
func worstAnswer(sorted []*Result) document.Answer {
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

// metricsTable returns the metrics of one scenario.
func (r *Result) metricsTable(number int) document.Table {
	t := document.NewTable(fmt.Sprintf("metrics-%d", number), "", "metric|words", "A", "B", "change|change", "interval|change", "p|chance", "runs|words")
	for i := range r.Findings {
		f := &r.Findings[i]
		m := Metric{in: unitNamed(f.Unit)}
		state, _ := f.Verdict.State()
		t.Add(export.Plain(f.Metric), document.Optional(f.A, m.Text), document.Optional(f.B, m.Text), document.ToneOf(state), f.Change, f.Interval, f.Adjusted,
			fmt.Sprintf("%d and %d", f.Runs[A], f.Runs[B]))
	}
	return t
}

// scenarioJSON is one result of the JSON form.
type scenarioJSON struct {
	Scenario string   `json:"scenario"`
	Outcome  Outcome  `json:"verdict"`
	Virtual  bool     `json:"virtual"`
	Reason   string   `json:"reason"`
	Against  string   `json:"against"`
	State    string   `json:"state"`
	Ok       *bool    `json:"ok"`
	Differ   int      `json:"values_that_differ"`
	Values   []Entry  `json:"values,omitempty"`
	Notes    []string `json:"notes"`
}

// resultsJSON is the JSON form of several results.
type resultsJSON struct {
	Version   int            `json:"comparison"`
	Verdict   Outcome        `json:"verdict"`
	State     string         `json:"state"`
	Ok        *bool          `json:"ok"`
	Metrics   []Finding      `json:"metrics"`
	Scenarios []scenarioJSON `json:"scenarios"`
}

func jsonOfResults(list []Result) *resultsJSON {
	all := &resultsJSON{Version: ComparisonVersion, Metrics: []Finding{}, Scenarios: []scenarioJSON{}, Verdict: worst(list)}
	all.State, all.Ok = all.Verdict.State()
	for i := range list {
		r := &list[i]
		one := scenarioJSON{Scenario: r.Scenario, Outcome: r.Outcome, Virtual: r.Virtual, Reason: r.Reason, Against: r.Against,
			Notes: append([]string{}, r.Notes...)}
		one.State, one.Ok = r.Outcome.State()
		if r.Difference != nil {
			one.Differ, one.Values = r.Difference.Total, r.Difference.Entries
		}
		for _, f := range r.Findings {
			f.Scenario = r.Scenario
			all.Metrics = append(all.Metrics, f)
		}
		all.Scenarios = append(all.Scenarios, one)
	}
	return all
}
