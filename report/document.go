package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	a := &author{record: record, summary: summary, taken: figure.Of(record), shown: chart.Shown(record)}
	story := verdict.Narrate(record, summary)
	a.Add("findings", "Findings", document.List{Items: story.Findings})
	a.validity()
	// The causes of failures follow the verdict if many attempts failed, and come later if few did, or to distinguish
	// causes of throttling.
	many, causes := verdict.ManyFailed(record, summary), summary.Causes
	if many {
		a.table("Failures by cause", a.causeTable())
	}
	a.Add("limits", "What this run cannot tell", document.List{Items: story.Limits})
	a.run()
	a.steps()
	a.minutes()
	a.groups()
	a.requests()
	a.operations()
	if !many && (causes.Of(results.Failed) > 0 || len(causes.Only(results.Throttled)) > 1) {
		a.table("Failures by cause", a.causeTable())
	}
	a.times()
	a.partitions()
	a.accounts()
	a.observed()
	a.table("Checks", a.checkTable())
	a.seconds()
	a.pictures()
	a.events()
	a.billed()
	a.books()
	a.said()
	a.audit()
	a.workflows()
	a.generator()
	a.surroundings()
	a.Add("repeat", "Repeat this run", document.Paragraph{Text: text.CommandLine(record.Manifest.Command), Verbatim: true})
	a.Warnings = story.Warnings
	a.Title, a.Subtitle = "loadgen "+cmp.Or(record.Manifest.Scenario.Name, "run"), a.subtitle()
	a.Answer, a.Data = story.Answer, summary
	a.show()
	return &a.Document
}

// author writes the sections of a document in their order. A method writes one or several, or none if it has nothing
// to show.
type author struct {
	record  *results.Record
	summary *results.Summary
	// taken are the figures of the record.
	taken *figure.Figures
	// shown are the charts that the record has data for.
	shown []string
	document.Document
}

// section begins a section, to which [document.Document.Append] adds.
func (a *author) section(id, title string) {
	a.Sections = append(a.Sections, document.Section{ID: id, Title: title})
}

// line adds a sentence to the last section.
func (a *author) line(text string) { a.Append(document.Paragraph{Text: text}) }

// table adds a section of t, under its ID.
func (a *author) table(title string, t document.Table) { a.Add(t.ID, title, t) }

// subtitle names on one line the target, whether its limits are modelled, the length of the run and the validity of
// the record.
func (a *author) subtitle() string {
	m := &a.record.Manifest
	where := m.Target
	switch {
	case m.Target == results.Logged:
		where = "by the log of a table"
	case a.record.Capture != nil:
		where = "traffic of another program"
	case m.Time == "virtual":
		where = "simulated"
	case m.Service != "":
		where += " (" + m.Service + ")"
	}
	if m.Modelled() && where != "" {
		limits := map[string]string{"off": "no limits", "documented": "limits modelled"}
		where += ", " + cmp.Or(limits[m.Profile], "limits of profile "+m.Profile)
	}
	accounts, start, seed, processes, length := "", "", "", "", ""
	if m.Accounts > 1 {
		accounts = fmt.Sprintf("%d accounts", m.Accounts)
	}
	if m.Start == "cold" {
		start = "cold start"
	}
	switch {
	case m.Merged != nil:
		seed = document.Counted(len(m.Merged.Runs), "run") + " merged"
	case a.known() && m.Target != results.Logged:
		seed = fmt.Sprintf("seed %d", m.Seed)
	}
	if m.Fleet != nil {
		processes = document.Counted(len(m.Fleet.Members), "process", "processes")
	}
	if a.summary.DurationS > 0 {
		length = document.Minutes(a.summary.DurationS)
	}
	return document.Join(" · ", where, accounts, start, labelled("driver ", m.Driver, ""), seed, processes, length, "run "+a.summary.Validity)
}

// labelled returns a name between words, empty if there is none.
func labelled(before, name, after string) string {
	if name == "" {
		return ""
	}
	return before + name + after
}

// mostMinutes is the maximum number of rows of the table of minutes.
const mostMinutes = 40

// minutes shows the load over time, and what load balancing did. Its figures come from the seconds of
// intervals.ndjson, which are not in run.json.
func (a *author) minutes() {
	list := verdict.Minutes(a.record, mostMinutes)
	t := document.NewTable("minutes", a.caption("Each stretch of the load"), "from", "offered|rate|unit=operations/s", "served|rate|unit=entities/s",
		"throttled|rate|unit=attempts/s", "lost|share", "load balancing|words")
	counted := func(n int, thing string) string {
		if n == 0 {
			return ""
		}
		return document.Counted(n, thing)
	}
	for i := range list {
		m := &list[i]
		var lost *float64
		if m.Offered > 0 {
			lost = new(max(0, 1-m.Served/m.Offered))
		}
		decided := document.Join(", ", counted(m.Splits, "split"), counted(m.Moves, "move"), counted(m.Merges, "merge"))
		t.Add(strconv.Itoa(int(m.From/time.Minute))+" min", m.Offered, m.Served, m.Throttled, lost, labelled("", decided, fmt.Sprintf(": %d ranges", m.Ranges)))
	}
	t.Notes = []string{"from: since the load began; offered: operations/s due; served: entities/s; throttled: attempts/s; " +
		"lost: of the operations due, at one entity each"}
	a.table("The load over time", t)
}

// pictures adds the charts that belong to no table and that the record has data for. The run by second is drawn from
// the seconds of intervals.ndjson.
func (a *author) pictures() {
	where := ""
	if heat := a.record.Heat; heat != nil {
		where = "Served and throttled over the run, all partitions together"
		if rows := chart.HeatRows(a.record); rows > 0 {
			where = fmt.Sprintf("Served and throttled over the run at the %s with the most demand, by key",
				document.Counted(rows, "partition"))
			if heat.Partitions != nil {
				where += fmt.Sprintf(", of %s in all", document.Count(*heat.Partitions))
			}
			if heat.MostMissed > 0 {
				where += fmt.Sprintf("; a row lacks %s entities at most", document.Count(heat.MostMissed))
			}
		}
		where += "."
	}
	for _, one := range []struct{ id, heading, says string }{
		{"response", "Response times over the run", "Response times by the second in which operations ended."},
		{"heat", "Partitions over the run", where},
		{"latency", "Response times", "Distribution of response times, and the share that takes longer."},
		{"waits", "Waits before retries", "Waits before retries."},
	} {
		if slices.Contains(a.shown, one.id) {
			a.section("chart-"+one.id, one.heading)
			a.chart(one.id, one.says)
		}
	}
}

// chart adds a chart to the last section if the record has data for it.
func (a *author) chart(id, says string) {
	if slices.Contains(a.shown, id) {
		a.Append(document.Chart{ID: id, Title: chart.Title(id, a.record), Says: says})
	}
}
