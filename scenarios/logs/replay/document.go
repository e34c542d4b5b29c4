package replay

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/scenarios/logs"
)

//go:embed narrative.tmpl
var narrativeTable string

// narrative is the table of all sentences about replays.
var narrative = sync.OnceValue(func() *document.Narrative { return document.ParseNarrative(narrativeTable) })

// evidence is what the sentences about a replay are written of.
type evidence struct{ *Told }

// OwnRuns are those with the keys of the log, Own is the first of them.
func (e evidence) OwnRuns() []Run { return e.Arms[0].Under }

// Own is described with OwnRuns.
func (e evidence) Own() *Run { return &e.Arms[0].Under[0] }

// Omitted is how many requests were not replayed, without those that touch no entity.
func (e evidence) Omitted() int64 { return sum(e.Left) }

// NotReplayed is how many requests were not replayed.
func (e evidence) NotReplayed() int64 { return sum(e.Left) + sum(e.Unrelated) }

// OmittedNames are the requests that were not replayed, with their numbers.
func (e evidence) OmittedNames() string { return logs.NamedCounts(e.Left, e.Unrelated) }

// HasKeyless reports whether requests are omitted that AsWrites would replay.
func (e evidence) HasKeyless() bool { return e.Left[noTransactionKey]+e.Left[noInsertKey] > 0 }

// MaxLeft and MaxSuggested are the constants.
func (e evidence) MaxLeft() float64 { return maxLeft }

// MaxSuggested is described with MaxLeft.
func (e evidence) MaxSuggested() int { return maxSuggested }

// Document returns the report of the replay.
func (t *Told) Document() *document.Document {
	write := func(places ...string) []string { return narrative().Phrases(evidence{t}, places...) }
	d := &document.Document{Title: "logs replay", Subtitle: "simulated, limits modelled · " + document.Counted(int(t.Operations), "operation") + " of a log", Data: t}
	if t.Limits != "" {
		d.Subtitle = "simulated, limits of profile " + t.Limits + " · " + document.Counted(int(t.Operations), "operation") + " of a log"
	}
	claim := write("claim")[0]
	if !strings.HasPrefix(claim, ":") {
		claim = " " + claim
	}
	d.Answer = document.Claimed(t.State, claim, "", "", "")
	d.Answer.Says = write("says")
	facts := slices.Concat(write("replayed"), document.SpreadNote(t.SpreadOver), t.Notes, write("proposals"))
	// With many designs a screen has room for one line of each.
	d.Screen = []document.Block{t.table(len(t.Arms) <= 3), document.Facts{Lines: facts}}
	d.Add("designs", "The designs", t.table(true))
	if len(t.Arms) > 1 {
		whole := contest.Document(t.Contest)
		for _, one := range whole.Sections {
			if !slices.Contains([]string{"verdict", "cannot-tell", "repeat", "rests-on"}, one.ID) {
				d.Sections = append(d.Sections, one)
			}
		}
		for _, one := range whole.Screen {
			if chart, is := one.(document.Chart); is {
				d.Screen = append(d.Screen, chart)
			}
		}
	}
	d.Add("cost", "Cost", t.costs())
	d.Add("queries", "Queries and transactions", t.changes(), document.List{Items: write("splits")})
	d.Add("left", "Not replayed", document.List{Items: write("left")})
	d.Add("basis", "Basis", document.List{Items: write("basis")})
	return d
}

// Ranked are the designs in their order.
func (t *Told) Ranked() []*Arm {
	var all []*Arm
	for i := range t.Contest.Ranking {
		design := t.Contest.Ranking[i].Design
		all = append(all, &t.Arms[slices.IndexFunc(t.Arms, func(a Arm) bool { return a.Design == design })])
	}
	return all
}

// table has a line for each design, and one for each further profile.
func (t *Told) table(beside bool) document.Table {
	table := document.NewTable("designs", "The operations of the log under each design, best first (simulated)", "design|words", "throttled|share",
		"lost|share", "p99, ms|ms|nonzero", "partitions", "hottest/s", "billed", "hottest|words|spare=1")
	table.Notes = []string{"throttled: share of attempts; lost: of operations; hottest/s: entities served in a partition's busiest second; billed: transactions"}
	table.Add("in the log", t.Throttled, t.Lost, nil, nil, nil, t.Billed, "")
	for _, arm := range t.Ranked() {
		for j := range arm.Under {
			if j > 0 && !beside {
				continue
			}
			one := &arm.Under[j]
			name := arm.Design
			if j > 0 {
				name = "  by profile " + one.Profile
			}
			table.Add(cmp.Or(document.Bad.If(!one.Holds()), document.Good), name, one.Throttled, one.Lost, one.P99, document.LowerBound(one.Partitions, one.PartitionsAtLeast), one.HottestMax, one.Billed, document.Key(one.Hottest, 24))
		}
	}
	return table
}

// costs are what the service bills, and what that costs at a price.
func (t *Told) costs() document.Table {
	table := document.NewTable("cost", "Cost of the log under each design", "design|words", "billed", "throttled", "counted|nonzero", "of the log's bill|part", "cost|money|optional")
	row := func(name string, billed, throttled, counted int64) {
		var cost *float64
		if t.Price != nil {
			paid := billed
			if t.Price.BillRefused {
				paid += throttled
			}
			cost = new(float64(paid) / 1e6 * t.Price.PerMillion)
		}
		table.Add(name, billed, throttled, counted, document.RatioOf(billed, max(1, t.Billed)), cost)
	}
	row("in the log", t.Billed, t.ThrottledRequests, 0)
	for _, arm := range t.Ranked() {
		row(arm.Design, arm.Under[0].Billed, arm.Under[0].ThrottledRequests, arm.Under[0].Counted)
	}
	table.Notes = []string{"billed: excludes throttled and failed requests; counted: entities, including scanned ones"}
	return table.WithoutEmpty()
}

// changes describes the queries that changed.
func (t *Told) changes() document.Table {
	table := document.NewTable("queries", "Queries under each design", "design|words", "in the log|words", "under it|words", "each", "operations", "reads|words")
	for _, arm := range t.Ranked() {
		for i, one := range arm.Queries {
			name := arm.Design
			if i > 0 {
				name = ""
			}
			reads := "what was asked for"
			if one.Wider {
				reads = "more than is wanted"
			}
			table.Add(name, one.Was, one.Is, one.Queries, one.Operations, reads)
		}
	}
	if len(table.Rows) > 0 {
		table.Notes = []string{"each: queries per original query, by its attributes"}
	}
	return table
}
