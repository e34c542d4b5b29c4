package report

import (
	"cmp"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// validity shows whether the run is valid, and what limited it.
func (a *author) validity() {
	a.section("validity")
	worth := cmp.Or(document.Good.If(a.Summary.Validity == results.Valid), document.Bad.If(a.Summary.Validity == results.Invalid), document.Doubtful)
	a.Append(document.Paragraph{Text: "Validity: " + a.Summary.Validity, Tone: worth})
	a.Append(document.List{Items: a.phrases("notes on validity")})
	a.figures()
}

// Silences are the times without an answer of the target.
func (a *author) Silences() []verdict.Silence { return verdict.Silences(a.Record) }

// figures are the most important numbers, without unknown ones.
func (a *author) figures() {
	s := a.Summary
	offered, lost, from := (*float64)(nil), (*float64)(nil), document.Pointer("")
	steps := figure.Reported(a.Record)
	if last := len(s.Phases) - 1; last >= 0 && a.Capture == nil && a.Limit == nil && (last >= len(steps) || steps[last].IsSettled()) {
		offered, lost, from = &s.Phases[last].Offered, s.Phases[last].ShareLostSettled, a.inSummary("phases", last)
	}
	var held *float64
	if a.Limit != nil {
		held = a.Limit.Held
	}
	t := a.newTable("figures")
	t.Add(a.inSummary(), s.Saturation, document.PointerTo("limit"), held, from, offered, lost, a.inSummary("response_us"), s.Response.P50, s.Response.P99)
	a.Append(t.WithoutEmpty())
}

// IsKnown reports whether the record names its scenario; one that was cut off near its beginning does not.
func (a *author) IsKnown() bool {
	return a.Manifest.Scenario.Name != "" || !a.Manifest.Started.IsZero()
}

// run shows what was run, when, against which partition, and the kind of its figures.
func (a *author) run() {
	if !a.IsKnown() {
		return
	}
	a.section("run")
	a.Append(document.Paragraph{Text: a.joined("subject of the run")})
	a.lines("lines of the run")
	if of := a.Manifest.Merged; of != nil {
		t := a.newTable("merged")
		for i, run := range of.Runs {
			t.Add(document.PointerTo("manifest", "merged", "runs", i), run.Name, run.Started.UTC().Format(time.DateTime),
				strings.TrimSpace(run.Tool.Version+" "+run.Tool.Commit), run.Seed, run.Validity, run.Attempts)
		}
		a.table(t)
		a.Append(document.List{Items: of.Notes})
	}
	a.fleet()
}

// TableNames names the tables of the run.
func (a *author) TableNames() string { return verdict.TablesLeft(a.Manifest.Tables) }

// checkTable shows the checks of the run, and whether they hold: failed ones first.
func (a *author) checkTable() document.Table {
	t := a.newTable("checks")
	for _, e := range a.Summary.Checks {
		tone := cmp.Or(document.Good.If(e.Holds()), document.Bad.If(e.Fails()), document.Doubtful)
		t.Add(tone, e.Result(), e.Expr, e.Observation())
	}
	t.Sort(func(row int) float64 {
		return map[document.Tone]float64{document.Bad: 0, document.Doubtful: 1, document.Good: 2}[t.Rows[row][0].Tone]
	})
	held, _ := results.HeldOf(a.Summary.Checks)
	t.Ranked, t.MinRows = true, max(1, len(t.Rows)-held)
	return t
}
