package report

import (
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/results/figure"
)

// screen is what the first screen shows below the answer: what was checked, why much failed,
// the load step by step or operation by operation, the times, and what it rests on.
func (a *author) screen() []document.Block {
	var blocks []document.Block
	add := func(t document.Table) {
		if t.Notes = nil; len(t.Rows) > 0 {
			blocks = append(blocks, t)
		}
	}
	if len(a.summary.Checks) > 1 {
		add(a.checkTable())
	}
	if verdict.ManyFailed(a.record, a.summary) {
		add(a.causeTable())
	}
	switch steps := figure.Shown(a.record); {
	case a.record.Limit != nil:
		add(a.rates(a.record.Limit))
	case a.record.Capture == nil && len(steps) > 1 && different(steps):
		add(a.ladder(steps))
	default:
		add(a.operationsShort())
	}
	if chart := a.answering(); chart.ID != "" {
		blocks = append(blocks, chart)
	}
	add(a.timesShort())
	for _, facts := range [][]string{a.counts(), a.reserve()} {
		if len(facts) > 0 {
			blocks = append(blocks, document.Facts{Lines: facts})
		}
	}
	return blocks
}

// ladder shows the steps: what each offered and what of it was served, as numbers and as
// a bar, against the target where all goes to one partition.
func (a *author) ladder(steps []figure.Step) document.Table {
	group, within := a.mainGroup()
	t := document.Table{ID: "ladder", Caption: a.caption("Each step"), Columns: []document.Column{{Title: "offered/s"}, {Title: "served/s"},
		{Title: "served of offered"}, {Title: "lost"}, {Title: group + " p50", Unit: "ms", Spare: 2}, {Title: "p99", Unit: "ms", Spare: 1}, {Title: "tries/op"}}}
	mark, full := 0.0, 0.0
	if a.record.Manifest.PartitionKey != "" {
		mark = float64(a.record.Manifest.Targets.Partition)
	}
	for _, step := range steps {
		figures, _ := a.wholeStep(step)
		full = max(full, figures.Offered)
	}
	for _, step := range steps {
		figures, from := a.wholeStep(step)
		cells := a.loadCells(step, figures, from)
		offered, served := cells[1], cells[2]
		offered.Tone = a.toneOf(step)
		bar := document.Cell{Bar: &document.Bar{Solid: figures.Served, Hollow: max(0, figures.Offered-figures.Served), Mark: mark, Full: full}}
		if !step.Settled() {
			bar = document.Cell{Text: "not run to its end"}
		}
		own := a.taken.Step(step, within)
		t.Rows = append(t.Rows, []document.Cell{offered, served, bar, cells[4],
			millisCell(own.Response.P50, ""), millisCell(own.Response.P99, ""), cells[5]})
	}
	return t
}

// toneOf marks a step that does not hold, and one of which that cannot be told.
func (a *author) toneOf(step figure.Step) document.Tone {
	switch told, _ := a.summaryOf(step); {
	case told == nil:
		return document.Plain
	case told.Holds == nil && told.Why != "":
		return document.Doubtful
	case told.Holds != nil && !*told.Holds:
		return document.Bad
	default:
		return document.Plain
	}
}

// mainGroup is the group of operations of which the load has most, and which kinds are of
// it.
func (a *author) mainGroup() (name string, within func(results.Kind) bool) {
	most := int64(-1)
	for _, group := range groups(a.record.Manifest.Operations) {
		of := func(kind results.Kind) bool { return kind.Group == group }
		sum := a.record.Total(func(p *results.Phase, kind results.Kind) bool { return p.Reported && of(kind) })
		if sum.Scheduled > most {
			most, name, within = sum.Scheduled, group, of
		}
	}
	if within == nil {
		return "response", func(results.Kind) bool { return true }
	}
	return name, within
}

// operationsShort shows what each kind of operation of the load came to.
func (a *author) operationsShort() document.Table {
	t := document.Table{ID: "operations-short", Caption: a.caption("Each operation of the load"), Columns: []document.Column{{Title: "operation", Words: true},
		{Title: "due"}, {Title: "lost"}, {Title: "throttled", Spare: 3}, {Title: "failed", Spare: 2}, {Title: "tries/op"}, {Title: "p50", Unit: "ms", Spare: 1},
		{Title: "p99", Unit: "ms"}}}
	for _, name := range a.kinds() {
		of := func(kind results.Kind) bool { return kind.Name == name }
		sum := a.record.Total(func(p *results.Phase, kind results.Kind) bool { return p.Reported && of(kind) })
		if sum.Attempts == 0 && sum.Scheduled == 0 {
			continue
		}
		lost := a.taken.OfKinds("share_lost", of)
		times := results.QuantilesOf(sum.Response)
		t.Rows = append(t.Rows, []document.Cell{wordsCell(name), amountCell(max(sum.Scheduled, sum.Operations), ""), shareCell(lost.Pointer(), ""), amountCell(sum.Throttled, ""),
			amountCell(sum.Failed, ""), eachCell(a.taken.OfKinds("tries", of).Pointer(), ""), millisCell(times.P50, ""), millisCell(times.P99, "")})
	}
	return t
}

// timesShort shows the response and service times of all that was reported.
func (a *author) timesShort() document.Table {
	t := document.Table{ID: "times-short", Caption: a.caption("Times of all that was measured"), Columns: []document.Column{{Title: "time, ms", Words: true},
		{Title: "p50"}, {Title: "p90"}, {Title: "p99"}, {Title: "p99.9"}, {Title: "max"}, {Title: "", Words: true, Spare: 1}}}
	row := func(name string, q results.Quantiles, member, says string) {
		if q.P50 != nil || q.Max != nil {
			cells := append([]document.Cell{wordsCell(name)}, quantileCells(q, a.inSummary(member))...)
			cells = slices.Insert(cells, len(cells)-1, millisCell(q.P999, below(a.inSummary(member), "p99_9")))
			t.Rows = append(t.Rows, append(cells, wordsCell(says)))
		}
	}
	row("response", a.summary.Response, "response_us", "with waits and retries")
	if a.record.Capture == nil {
		row("one attempt", a.summary.Service, "service_us", "that succeeded")
	}
	return t
}

// counts are what was sent and what came of it, whether that adds up, and how the
// generator fared.
func (a *author) counts() []string {
	s := a.summary
	all := a.record.Total(results.Reported)
	due, says := all.Scheduled, "due"
	if a.record.Capture != nil {
		due, says = all.Operations, "seen"
	}
	facts := []string{fmt.Sprintf("%s operations %s: %s succeeded, %s did not", document.Count(due), says, document.Count(all.Succeeded),
		document.Count(max(0, due-all.Succeeded)))}
	if s.Killed != nil {
		facts = []string{document.Count(s.Scheduled) + " operations due"}
	}
	requests := fmt.Sprintf("%s requests in all: %s throttled, %s failed, %s billed", document.Count(s.Attempts), document.Count(s.Throttled),
		document.Count(s.Failed), document.Count(s.Attempts-s.Throttled))
	if a.record.Capture == nil {
		requests += " · accounting " + a.accounting()
	}
	facts = append(facts, requests)
	if g := a.record.Generator; g != nil && g.Seconds > 0 && g.CPUKnown {
		says := "not the limit"
		if len(s.ClientLimited) > 0 {
			says = "THE LIMIT: " + s.ClientLimited[0]
		}
		facts = append(facts, fmt.Sprintf("generator: %s (%s of %d cores, %s at most)", says,
			document.Share(cpuShare(g)), g.Cores, document.Share(g.Busiest.Share(g.Cores))))
	} else if len(s.ClientLimited) > 0 {
		facts = append(facts, "generator: THE LIMIT: "+s.ClientLimited[0])
	}
	return facts
}

// cpuShare is the share of the machine that the run took.
func cpuShare(g *results.Generator) float64 {
	return g.CPU.Seconds() / float64(g.Seconds) / float64(max(1, g.Cores))
}

// accounting says whether the accounting closes.
func (a *author) accounting() string {
	if len(verdict.Books(a.record)) > 0 {
		return "DOES NOT CLOSE"
	}
	return "exact"
}

// reserve says in a line how far the figures can be trusted.
func (a *author) reserve() []string {
	m := &a.record.Manifest
	switch {
	case m.Target == "":
		return nil
	case m.Modelled():
		return []string{"modelled, not measured: limits and times of the service differ (see --verbose)"}
	case m.Emulator:
		return []string{"measured: an emulator, not the table service (see --verbose)"}
	case !m.Genuine:
		return []string{"what answered does not say what it is: nothing is said of the table service"}
	default:
		return nil
	}
}

// answering is the chart that shows the answer, none where the record has none to show.
func (a *author) answering() document.Chart {
	for _, one := range []document.Chart{
		{ID: "steps", Title: "Offered against served, step by step", Says: "What each step offered, and what of it was served."},
		{ID: "throttle", Title: "Throttling and retries", Says: "Served and throttled second by second."},
		{ID: "latency", Title: "Response times", Says: "How many operations took how long."},
	} {
		if slices.Contains(a.shown, one.ID) {
			return one
		}
	}
	return document.Chart{}
}
