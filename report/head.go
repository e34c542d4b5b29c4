package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// validity shows whether the run is valid, and what limited it.
func (a *author) validity() {
	a.section("validity", "Validity and key figures")
	worth := cmp.Or(document.Good.If(a.summary.Validity == results.Valid), document.Bad.If(a.summary.Validity == results.Invalid), document.Doubtful)
	a.Append(document.Paragraph{Text: "Validity: " + a.summary.Validity, Tone: worth})
	notes, silences := slices.Concat(a.summary.Reasons, a.summary.ClientLimited), verdict.Silences(a.record)
	for _, silence := range silences[:min(len(silences), mostSilences)] {
		notes = append(notes, silence.String())
	}
	if more := len(silences) - mostSilences; more > 0 {
		notes = append(notes, fmt.Sprintf("and %s times more", document.Count(int64(more))))
	}
	a.Append(document.List{Items: notes})
	a.figures()
}

// mostSilences is the maximum number of times without an answer of the target that are listed.
const mostSilences = 5

// figures are the most important numbers, without unknown ones.
func (a *author) figures() {
	s := a.summary
	offered, lost, from := (*float64)(nil), (*float64)(nil), document.Pointer("")
	steps := figure.Reported(a.record)
	if last := len(s.Phases) - 1; last >= 0 && a.record.Capture == nil && a.record.Limit == nil && (last >= len(steps) || steps[last].Settled()) {
		offered, lost, from = &s.Phases[last].Offered, s.Phases[last].ShareLostSettled, a.inSummary("phases", last)
	}
	var held *float64
	if a.record.Limit != nil {
		held = a.record.Limit.Held
	}
	t := document.NewTable("figures", a.caption("Key figures"), "saturation|rate|unit=entities/s|at=saturation_entities_per_second|optional",
		"highest rate held|rate|unit=operations/s|at=highest_held_operations_per_second|optional",
		"offered at the end|rate|unit=entities/s|at=offered_entities_per_second|optional", "of that lost|share|at=share_lost_settled|optional",
		"response p50|millis|unit=ms|at=p50|optional", "response p99|millis|unit=ms|at=p99|optional")
	t.Add(a.inSummary(), s.Saturation, document.PointerTo("limit"), held, from, offered, lost, a.inSummary("response_us"), s.Response.P50, s.Response.P99)
	a.Append(t.WithoutEmpty())
}

// known reports whether the record names its scenario; one that was cut off near its beginning does not.
func (a *author) known() bool {
	return a.record.Manifest.Scenario.Name != "" || !a.record.Manifest.Started.IsZero()
}

// run shows what was run, when, against which partition, and the kind of its figures.
func (a *author) run() {
	m := &a.record.Manifest
	if !a.known() {
		return
	}
	a.section("run", "Run")
	accounts, seed := "", ""
	if m.Accounts > 1 {
		accounts = strconv.Itoa(m.Accounts)
	}
	if m.Target != results.Logged && m.Merged == nil {
		seed = fmt.Sprintf("seed %d", m.Seed)
	}
	a.line(document.Join(" · ", m.Scenario.Name, m.Target, labelled("over ", accounts, " accounts"), m.Service, labelled("profile ", m.Profile, ""), labelled("", m.Start, " start"),
		labelled("", m.Time, " time"), labelled("driver ", m.Driver, ""), labelled("client ", m.Client, ""), labelled("by the proxy ", m.Proxy, ""), seed))
	a.line(fmt.Sprintf("started %s, lasted %s", m.Started.UTC().Format(time.DateTime)+" UTC", document.Minutes(a.summary.DurationS)))
	a.line(labelled("PartitionKey ", m.PartitionKey, ""))
	if len(m.Tables) > 0 {
		a.line("on " + verdict.TablesLeft(m.Tables))
	}
	if m.Target != "" {
		a.line("figures: " + a.origin())
	}
	if of := m.Merged; of != nil {
		t := document.NewTable("merged", "Merged runs", "run|named", "begun|named", "build|named", "seed|named", "validity|named", "attempts|at")
		for i, run := range of.Runs {
			t.Add(document.PointerTo("manifest", "merged", "runs", i), run.Name, run.Started.UTC().Format(time.DateTime),
				strings.TrimSpace(run.Tool.Version+" "+run.Tool.Commit), run.Seed, run.Validity, run.Attempts)
		}
		a.table("Merged runs", t)
		a.Append(document.List{Items: of.Notes})
	}
	a.fleet()
}

// origin names the figures that are measured, modelled and derived.
func (a *author) origin() string {
	if a.record.Manifest.Target == results.Logged {
		return "as logged; entities counted: derived by the documents' rule or estimated"
	}
	if a.record.Capture != nil {
		return "as the server saw them, limits and times modelled; entities counted: by the engine"
	}
	const derived = "; entities counted: derived by the documents' rule"
	switch m := &a.record.Manifest; {
	case !m.Modelled():
		return "measured" + derived
	case m.Target == results.Embedded && m.Time != "virtual":
		return "modelled, over real HTTP; entities counted: reported by the engine; lag: measured"
	case m.Time == "virtual":
		return "modelled" + derived
	default:
		return "modelled" + derived + "; lag: measured"
	}
}

// caption names the rows of a table, and the kind of its figures.
func (a *author) caption(rows string) string {
	switch {
	case a.record.Manifest.Target == results.Logged:
		return rows + " (by the log)"
	case a.record.Capture != nil:
		return rows + " (as the server saw it)"
	case a.record.Manifest.Target == "":
		return rows
	case a.record.Manifest.Modelled():
		return rows + " (modelled)"
	default:
		return rows + " (measured)"
	}
}

// checkTable shows the checks of the run, and whether they hold: failed ones first.
func (a *author) checkTable() document.Table {
	t := document.NewTable("checks", "Checks and observed values", "result|words", "check|named", "observed|named")
	for _, e := range a.summary.Checks {
		tone := cmp.Or(document.Good.If(e.Holds()), document.Bad.If(e.Fails()), document.Doubtful)
		t.Add(tone, e.Result(), e.Expr, e.Said())
	}
	t.Sort(func(row int) float64 { return gravity(t.Rows[row][0].Tone) })
	held, _ := results.HeldOf(a.summary.Checks)
	t.Ranked, t.MinRows = true, max(1, len(t.Rows)-held)
	return t
}
