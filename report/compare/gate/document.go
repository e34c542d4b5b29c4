package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/export"
)

const (
	// mostCell bounds what is shown of a name or a reason, in bytes.
	mostCell = 400
	// mostDetails is how many scenarios have a section of their own: a summary of a job has
	// room for 1 MiB.
	mostDetails = 50
	// mostShown is how many lines of the gravest result a screen shows.
	mostShown = 8
)

// Document says what a gate came to: the gravest outcome, a row for each scenario, what
// bars a change first, and of each what differs or was judged. Its Data is the JSON form.
func Document(list []Result) *document.Document {
	sorted := make([]*Result, 0, len(list))
	for i := range list {
		sorted = append(sorted, &list[i])
	}
	slices.SortStableFunc(sorted, func(a, b *Result) int { return cmp.Compare(b.Outcome, a.Outcome) })
	counts, separator := document.Counted(len(sorted), "scenario"), ": "
	for rest := sorted; len(rest) > 0; separator = ", " {
		n := 1
		for n < len(rest) && rest[n].Outcome == rest[0].Outcome {
			n++
		}
		counts += fmt.Sprintf("%s%d %s", separator, n, rest[0].Outcome)
		rest = rest[n:]
	}
	d := &document.Document{Title: "loadgen gate", Subtitle: counts, Answer: answer(sorted), Data: verdictOf(list)}
	t := document.NewTable("scenarios", "Scenarios", "scenario|words", "verdict|words", "runs|words|spare=1", "reason|words")
	for _, r := range sorted {
		state, _ := r.Outcome.State()
		tone := document.ToneOf(state)
		t.Add(tone, cut(export.Plain(r.Scenario), mostCell), tone, r.Outcome, r.kind(), cut(r.sentence(), mostCell))
	}
	if len(sorted) > 1 {
		d.Show(t)
	}
	if len(sorted) > 0 {
		lines, count := sorted[0].lines(), len(sorted[0].Notes)
		notes := lines[len(lines)-count:]
		d.Show(document.Facts{Lines: lines[:len(lines)-count], Max: mostShown})
		lines = notes[:min(count, mostShown)]
		if repeat := sorted[0].Repeat; repeat != "" {
			lines = append(lines, "the run: "+export.Plain(repeat))
		}
		d.Show(document.Facts{Lines: lines})
	}
	d.Add("scenarios", "Scenarios", t)
	for i, r := range sorted {
		if i == mostDetails {
			d.Add("left-out", "Left out", document.Paragraph{Text: fmt.Sprintf("What there is to say of %d further scenarios.", len(sorted)-i)})
			break
		}
		d.Add(fmt.Sprintf("scenario-%d", i+1), cut(export.Plain(r.Scenario), mostCell)+": "+r.Outcome.String(),
			r.metricsTable(i+1), document.List{Items: r.lines()})
	}
	return d
}

// answer says in how many scenarios the gravest outcome is, or what the one came to.
func answer(sorted []*Result) document.Answer {
	if len(sorted) == 0 {
		return document.Answer{Claim: "NOTHING WAS GATED"}
	}
	worst := sorted[0]
	state, _ := worst.Outcome.State()
	a := document.Answer{State: state, Claim: strings.ToUpper(worst.Outcome.String())}
	if len(sorted) == 1 {
		a.Claim += ": " + cut(export.Plain(worst.Scenario), mostCell)
		a.Says = []string{export.Plain(worst.Reason)}
		if worst.Against != "" {
			a.Says = append(a.Says, "against "+export.Plain(worst.Against))
		}
		return a
	}
	of := 0
	for of < len(sorted) && sorted[of].Outcome == worst.Outcome {
		of++
	}
	a.Number, a.Unit = document.Count(int64(of)), fmt.Sprintf("of %d scenarios", len(sorted))
	a.Claim += " in " + a.Number + " " + a.Unit
	if state != document.Holds {
		a.Says = []string{cut(export.Plain(worst.Scenario), mostCell) + ": " + worst.sentence()}
	}
	return a
}

// metricsTable is the metrics that were judged of one scenario.
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
