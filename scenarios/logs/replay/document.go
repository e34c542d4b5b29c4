package replay

import (
	"cmp"
	"fmt"
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// Told is what a replay came to.
type Told struct {
	// State says whether some design holds the log, Best is the first of those that lose and
	// throttle least.
	State string `json:"state"`
	Best  string `json:"best"`
	// Operations were replayed, Retries of the clients taken out. Throttled is the share of
	// the log's attempts, Lost that of its operations.
	Operations int64   `json:"operations"`
	Retries    int64   `json:"retries_taken_out"`
	Throttled  float64 `json:"share_throttled_in_the_log"`
	Lost       float64 `json:"share_lost_in_the_log"`
	// Queries and Unkeyed requests were not replayed.
	Queries int64 `json:"queries_not_replayed"`
	Unkeyed int64 `json:"requests_without_key"`
	Arms    []Arm `json:"designs"`
}

// Tell says what a replay of operations came to under some designs.
func Tell(of *Operations, arms []Arm) *Told {
	t := &Told{State: results.DoesNotHold, Operations: int64(len(of.List)), Retries: of.Retries, Queries: of.Queries, Unkeyed: of.Unkeyed, Arms: arms,
		Throttled: figure.ShareOf(of.Throttled, of.Attempts), Lost: figure.ShareOf(of.Lost, int64(len(of.List)))}
	best := slices.MinFunc(arms, func(a, b Arm) int {
		x, y := &a.Under[0], &b.Under[0]
		return cmp.Or(cmp.Compare(x.Lost, y.Lost), cmp.Compare(x.Throttled, y.Throttled))
	})
	t.Best = best.Design
	if best.Under[0].Holds() {
		t.State = results.Holds
	}
	return t
}

// Document says it.
func (t *Told) Document() *document.Document {
	d := &document.Document{Title: "replay", Subtitle: "simulated, limits modelled · " + document.Counted(int(t.Operations), "operation") + " of a log", Data: t}
	d.Answer = t.answer()
	table := t.table()
	d.Screen = []document.Block{table, document.Facts{Lines: []string{fmt.Sprintf("%s of the clients taken out; not replayed: %s, %s without a key",
		document.Counted(int(t.Retries), "retry", "retries"), document.Counted(int(t.Queries), "query", "queries"), document.Counted(int(t.Unkeyed), "request"))}}}
	d.Sections = []document.Section{{ID: "designs", Title: "The designs", Blocks: []document.Block{table}},
		{ID: "basis", Title: "What it rests on", Blocks: []document.Block{document.List{Items: t.basis()}}}}
	return d
}

func (t *Told) answer() document.Answer {
	var a document.Answer
	own := &t.Arms[0].Under[0]
	switch {
	case t.State == results.Holds && t.Best == Unchanged:
		a = document.Claimed(t.State, ": the keys of the log hold its operations", "", "", "")
	case t.State == results.Holds:
		a = document.Claimed(t.State, ": design "+t.Best+" would have held the log", "", "", "")
	default:
		a = document.Claimed(t.State, ": no design of these holds the log", "", "", "")
	}
	a.Says = append(a.Says, fmt.Sprintf("In the log %s of the attempts were throttled; replayed under the same keys %s.", document.Share(t.Throttled), document.Share(own.Throttled)))
	for _, arm := range t.Arms[1:] {
		if arm.Unmatched > 0 {
			a.Says = append(a.Says, fmt.Sprintf("%s did not fit the pattern under %s, and kept their keys.", document.PartOf(float64(arm.Unmatched), float64(t.Operations)), arm.Design))
		}
	}
	return a
}

func (t *Told) table() document.Table {
	table := document.Table{ID: "designs", Caption: "The operations of the log under each design (simulated)", Columns: []document.Column{{Title: "design", Words: true}, {Title: "throttled"}, {Title: "lost"},
		{Title: "p99, ms"}, {Title: "partitions"}, {Title: "hottest/s"}, {Title: "hottest", Words: true, Spare: 1}},
		Notes: []string{"throttled: of the attempts; lost: of the operations; hottest/s: entities served in the busiest second of a partition"}}
	table.Rows = append(table.Rows, document.Cells("in the log", document.Share(t.Throttled), document.Share(t.Lost), document.Untold, document.Untold, document.Untold, ""))
	for i := range t.Arms {
		for j := range t.Arms[i].Under {
			one := &t.Arms[i].Under[j]
			name := t.Arms[i].Design
			if j > 0 {
				name = "  by profile " + one.Profile
			}
			tone := document.Good
			if !one.Holds() {
				tone = document.Bad
			}
			row := document.Cells(name, document.Share(one.Throttled), document.Share(one.Lost), t99(one), document.Count(one.Partitions), document.Count(one.HottestMax), document.Key(one.Hottest, 24))
			row[0].Tone = tone
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}

func t99(r *Run) string {
	if r.P99 == 0 {
		return document.Untold
	}
	return document.Millis(int64(r.P99 * 1000))
}

func (t *Told) basis() []string {
	items := []string{
		"Each operation is due when its first attempt was received by the log, and is tried again by a policy of ours: what a client waited for before it sent the next is in the log's times, and stays.",
		"Limits and times are those of the model, by two profiles: documented refuses what exceeds the targets, headroom grants what idle servers could.",
	}
	if t.Queries > 0 {
		items = append(items, document.Counted(int(t.Queries), "query", "queries")+" are not replayed: what they would read under other keys, no log says.")
	}
	if t.Unkeyed > 0 {
		items = append(items, document.Counted(int(t.Unkeyed), "request")+" do not say their key (transactions, inserts of some logs), and are not replayed.")
	}
	for _, arm := range t.Arms {
		if arm.First != "" {
			items = append(items, arm.Design+": the first key that kept its form: "+arm.First)
		}
	}
	return items
}
