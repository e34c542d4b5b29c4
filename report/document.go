package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"loadgen/report/chart"
	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// Document returns the report of a record: first the verdict, its validity and the limits of the run, then the
// evidence. The summary is that of run.json, or one that [loadgen/report/verdict] made of the record: cells then have
// no source in run.json.
//
// The document is the same for the same record, and shares no memory with it. Warnings about reading the record are
// added by the caller.
func Document(record *results.Record, summary *results.Summary) *document.Document {
	a := &author{Record: record, Summary: summary, Faults: verdict.Books(record), taken: figure.NewFigures(record), charts: chart.Figures(record, "")}
	story := verdict.Narrate(record, summary)
	a.Add("findings", "Findings", document.List{Items: story.Findings})
	a.validity()
	// The causes of failures follow the verdict if many attempts failed, and come later if few did, or to distinguish
	// causes of throttling.
	many, causes := verdict.ManyFailed(record, summary), summary.Causes
	if many {
		a.table(a.causeTable())
	}
	a.Add("limits", "What this run cannot tell", document.List{Items: story.Limits})
	a.run()
	a.steps()
	a.minutes()
	a.stepsByGroup()
	a.requests()
	a.operations()
	a.wire()
	if !many && (causes.ClassAttempts(results.Failed) > 0 || len(causes.Only(results.Throttled)) > 1) {
		a.table(a.causeTable())
	}
	a.times()
	a.partitions()
	a.accounts()
	a.observed()
	a.table(a.checkTable())
	a.seconds()
	a.pictures()
	a.events()
	a.billed()
	a.books()
	a.addServiceState()
	a.audit()
	a.workflows()
	a.generator()
	a.surroundings()
	a.Add("repeat", "Repeat this run", document.Paragraph{Text: text.CommandLine(record.Manifest.Command), Verbatim: true})
	a.Warnings = story.Warnings
	a.Title, a.Subtitle = "loadgen "+cmp.Or(record.Manifest.Scenario.Name, "run"), a.joined("subtitle")
	a.Answer, a.Data = story.Answer, summary
	a.show()
	return &a.Document
}

// author writes the sections of a document in their order. A method writes one or several, or none if it has nothing
// to show. The author is the evidence of the narrative, which words them.
type author struct {
	*results.Record
	Summary *results.Summary
	// Faults are the counts that do not reconcile.
	Faults []string
	// taken are the figures of the record.
	taken *figure.Figures
	// charts are those that the record has data for.
	charts []*chart.Figure
	document.Document
}

//go:embed narrative.tmpl
var narrativeTable string

// narrative is the table of all titles, columns, notes and sentences, parsed when it is first needed. Places are named
// by the identifiers of sections and tables.
var narrative = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// phrases returns the texts of a place.
func (a *author) phrases(place string) []string { return narrative().Phrases(a, place) }

// joined returns the texts of a place in a line.
func (a *author) joined(place string) string { return strings.Join(a.phrases(place), " · ") }

// section begins a section, to which [document.Document.Append] adds.
func (a *author) section(id string) {
	a.Sections = append(a.Sections, document.Section{ID: id, Title: a.joined(id)})
}

// lines adds the sentences of a place to the last section.
func (a *author) lines(place string) {
	for _, text := range a.phrases(place) {
		a.Append(document.Paragraph{Text: text})
	}
}

// newTable returns a table without rows: its caption, columns and notes.
func (a *author) newTable(id string) document.Table {
	parts := strings.Split(a.joined("table "+id), document.PartSeparator)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	t := document.NewTable(id, parts[0], parts[1:]...)
	t.Notes = a.phrases("notes of " + id)
	return t
}

// table adds a section of a table, under its ID.
func (a *author) table(t document.Table) { a.Add(t.ID, a.joined(t.ID), t) }

// maxMinutes is the maximum number of rows of the table of minutes.
const maxMinutes = 40

// minutes shows the load over time, and what load balancing did. Its figures come from the seconds of
// intervals.ndjson, which are not in run.json.
func (a *author) minutes() {
	list := verdict.Minutes(a.Record, maxMinutes)
	t := a.newTable("minutes")
	counted := func(n int, action string) string {
		if n == 0 {
			return ""
		}
		return document.Counted(n, action)
	}
	for i := range list {
		m := &list[i]
		var lost *float64
		if m.Offered > 0 {
			lost = new(max(0, 1-m.Served/m.Offered))
		}
		did := document.Join(", ", counted(m.Splits, "split"), counted(m.Moves, "move"), counted(m.Merges, "merge"))
		if did != "" {
			did += fmt.Sprintf(": %d ranges", m.Ranges)
		}
		t.Add(strconv.Itoa(int(m.From/time.Minute))+" min", m.Offered, m.Served, m.Throttled, lost, did)
	}
	a.table(t)
}

// pictures adds the charts that belong to no table and that the record has data for. The run by second is drawn from
// the seconds of intervals.ndjson.
func (a *author) pictures() {
	for _, id := range []string{"response", "heat", "latency", "waits"} {
		if chart.Find(a.charts, id) != nil {
			a.section("chart-" + id)
			a.chart(id)
		}
	}
}

// HeatRows is the number of partitions that have a row in the heat map.
func (a *author) HeatRows() int { return chart.Find(a.charts, "heat").Rows }

// chart adds a chart to the last section if the record has data for it.
func (a *author) chart(id string) {
	if f := chart.Find(a.charts, id); f != nil {
		a.Append(document.Chart{ID: id, Title: f.Title, Says: a.joined("chart " + id)})
	}
}
