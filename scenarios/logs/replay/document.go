package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"loadgen/report/compare/contest"
	"loadgen/report/document"
	"loadgen/results"
)

// Document says it.
func (t *Told) Document() *document.Document {
	d := &document.Document{Title: "logs replay", Subtitle: "simulated, limits modelled · " + document.Counted(int(t.Operations), "operation") + " of a log", Data: t}
	if t.Limits != "" {
		d.Subtitle = "simulated, limits of profile " + t.Limits + " · " + document.Counted(int(t.Operations), "operation") + " of a log"
	}
	d.Answer = t.answer()
	beside := "all else is replayed"
	if n := total(t.Left); n > 0 {
		beside = "not replayed: " + document.Counted(int(n), "request")
	}
	line := fmt.Sprintf("%s of the clients taken out; %s", document.Counted(int(t.Retries), "retry", "retries"), beside)
	if t.Queries+t.Transactions > 0 {
		line += fmt.Sprintf("; %s and %s are among it", document.Counted(int(t.Queries), "query", "queries"), document.Counted(int(t.Transactions), "transaction"))
	}
	facts := slices.Concat([]string{line}, document.SpreadNote(t.SpreadOver), t.Notes)
	if t.Unsuggested != "" {
		facts = append(facts, "--suggest proposes none: "+t.Unsuggested)
	}
	// With many designs a screen has room for one line of each.
	d.Screen = []document.Block{t.table(len(t.Arms) <= 3), document.Facts{Lines: facts}}
	d.Add("designs", "The designs", t.table(true))
	if len(t.Arms) > 1 {
		whole := contest.Document(t.Contest)
		for i := range whole.Sections {
			switch one := whole.Sections[i]; one.ID {
			case "verdict", "cannot-tell", "repeat", "rests-on":
			default:
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
	var splits, items []string
	for _, arm := range t.order() {
		if arm.Split > 0 {
			splits = append(splits, fmt.Sprintf("%s: %s span several partitions and are no longer atomic.",
				arm.Design, document.Counted(int(arm.Split), "transaction")))
		}
	}
	d.Add("queries", "Queries and transactions", t.changes(), document.List{Items: splits})
	for _, reason := range slices.Sorted(maps.Keys(t.Left)) {
		items = append(items, document.Count(t.Left[reason])+" "+reason)
	}
	if t.LeftEntities > 0 {
		items = append(items, fmt.Sprintf("They write about %s, which were not replayed.", document.Counted(int(t.LeftEntities), "entity", "entities")))
	}
	d.Add("left", "Not replayed", document.List{Items: items})
	d.Add("basis", "Basis", document.List{Items: t.basis()})
	return d
}

func (t *Told) answer() document.Answer {
	var a document.Answer
	own := &t.Arms[0].Under[0]
	best := document.Enumerated(t.Best)
	switch {
	case t.State == results.Holds && own.Holds():
		a = document.Claimed(t.State, ": the keys of the log hold its operations", "", "", "")
	case t.State == results.Holds && len(t.Best) == 1:
		a = document.Claimed(t.State, ": design "+best+" would have held the log", "", "", "")
	case t.State == results.Holds:
		a = document.Claimed(t.State, ": "+document.Counted(len(t.Best), "design")+" would have held the log", "", "", "")
		a.Says = append(a.Says, "No difference is shown between "+best+".")
	case t.State == results.CannotTell:
		a = document.Claimed(t.State, " whether a design holds the log", "", "", "")
		a.Says = append(a.Says, fmt.Sprintf("%s are omitted: no line has their partition; without them %s would hold. --set log.keyless=as-writes assumes the partitions of single writes.",
			document.Counted(int(total(t.Left)), "request"), best))
	default:
		a = document.Claimed(t.State, ": no design of these holds the log", "", "", "")
	}
	a.Says = append(a.Says, fmt.Sprintf("Throttled: %s of attempts in the log, %s in the replay with the same keys.", document.Share(t.Throttled), document.Share(own.Throttled)))
	for _, arm := range t.Arms[1:] {
		if arm.Unmatched > 0 {
			a.Says = append(a.Says, fmt.Sprintf("%s did not match the pattern of %s and kept their keys.", document.PartOf(float64(arm.Unmatched), float64(t.Operations)), arm.Design))
		}
		if arm.Joined > 0 {
			a.Says = append(a.Says, fmt.Sprintf("%s maps several entities to one key: %s of the log.", arm.Design, document.Counted(int(arm.Joined), "key")))
		}
	}
	for _, arm := range t.Arms {
		if arm.Tail > 0 {
			a.Says = append(a.Says, fmt.Sprintf("%s: the end of the keys is asked for %s entities/s: one server gets them, whose target is that of one partition.", arm.Design, document.Rate(arm.Tail)))
		}
	}
	if len(t.Arms) > 1 && t.Contest.SurvivesSays != "" {
		a.Says = append(a.Says, t.Contest.SurvivesSays)
	}
	return a
}

func total(of map[string]int64) (n int64) {
	for _, one := range of {
		n += one
	}
	return n
}

// order are the designs as they are ranked.
func (t *Told) order() []*Arm {
	var all []*Arm
	for i := range t.Contest.Ranking {
		design := t.Contest.Ranking[i].Design
		all = append(all, &t.Arms[slices.IndexFunc(t.Arms, func(a Arm) bool { return a.Design == design })])
	}
	return all
}

// table has a line for each design, and one for each profile that was tried beside.
func (t *Told) table(beside bool) document.Table {
	table := document.NewTable("designs", "The operations of the log under each design, best first (simulated)", "design|words", "throttled|share",
		"lost|share", "p99, ms|ms|nonzero", "partitions", "hottest/s", "billed", "hottest|words|spare=1")
	table.Notes = []string{"throttled: share of attempts; lost: of operations; hottest/s: entities served in a partition's busiest second; billed: transactions"}
	table.Add("in the log", t.Throttled, t.Lost, nil, nil, nil, t.Billed, "")
	for _, arm := range t.order() {
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
	for _, arm := range t.order() {
		row(arm.Design, arm.Under[0].Billed, arm.Under[0].ThrottledRequests, arm.Under[0].Counted)
	}
	table.Notes = []string{"billed: excludes throttled and failed requests; counted: entities, including scanned ones"}
	return table.WithoutEmpty()
}

// changes says what became of queries.
func (t *Told) changes() document.Table {
	table := document.NewTable("queries", "Queries under each design", "design|words", "in the log|words", "under it|words", "each", "operations", "reads|words")
	for _, arm := range t.order() {
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

func (t *Told) basis() []string {
	items := []string{
		"Operations start at the times of the log and follow the given retry policy; pauses of clients stay.",
		fmt.Sprintf("A design holds if no operation is lost and at most %s of first attempts are throttled; ranking as in contests.", document.Share(mostLeft)),
	}
	if len(t.Arms[0].Under) > 1 {
		items = append(items, "Limits and times are modelled: profile documented enforces the targets, headroom uses idle servers.")
	}
	if t.Limits != "" {
		items = append(items, "Limits and times are those of the profile file "+t.Limits+".")
	}
	if t.Queries > 0 {
		items = append(items, "A query reads the entities known from the log, and "+document.Counted(int(t.More), "entity", "entities")+
			" more where queries returned more. Logs do not show entities that filters dropped.")
	}
	if t.Transactions > t.Guessed {
		items = append(items, "A transaction writes known entities of its partition; their number is logged, set by --set log.transaction_entities=N, or estimated.")
	}
	if t.Guessed > 0 {
		items = append(items, document.Counted(int(t.Guessed), "request")+" without a key are assumed in the partition of the previous single write (--set log.keyless=as-writes).")
	}
	if t.Suggested > maxSuggested {
		items = append(items, fmt.Sprintf("%s were proposed; the first %d take part.", document.Counted(t.Suggested, "design"), maxSuggested))
	}
	for _, arm := range t.Arms {
		if arm.First != "" {
			items = append(items, arm.Design+": the first key that kept its form: "+arm.First)
		}
		if arm.Unasked != "" {
			items = append(items, arm.Design+": its queries scan the table because they cannot be planned: "+strings.TrimSuffix(arm.Unasked, "."))
		}
	}
	return items
}
