package contest

import (
	"fmt"
	"io"
	"strconv"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// JSON prints the contest as {verdict, …, ranking: […]}: see [Contest]. Its error is
// the writer's.
func JSON(w io.Writer, c *Contest) error {
	if err := text.JSON(w, c); err != nil {
		return fmt.Errorf("ranking: writing the JSON: %w", err)
	}
	return nil
}

// Text prints the contest for people, its verdict first. Its error is the writer's.
func Text(w io.Writer, c *Contest) error {
	p := new(text.Page)
	p.Heading("Verdict")
	p.Line(c.Verdict)
	if c.SurvivesSays != "" {
		p.Line(c.SurvivesSays)
	}
	if power := c.powerSays(); power != "" {
		p.Line(power)
	}
	items(p, "Why", c.why())
	c.rankingOnto(p)
	c.costsOnto(p)
	c.timesOnto(p)
	c.movesOnto(p)
	items(p, "Checks that did not hold", c.failures())
	items(p, "What it rests on", c.RestsOn)
	items(p, "What this cannot tell", c.CannotTell)
	if c.Repeat != "" {
		p.Heading("To repeat it")
		p.Verbatim("  " + c.Repeat)
	}
	if _, err := w.Write(p.Bytes()); err != nil {
		return fmt.Errorf("ranking: writing the text: %w", err)
	}
	return nil
}

// powerSays is the sentence about the differences that would have been found.
func (c *Contest) powerSays() string {
	var found []string
	for _, one := range c.Power {
		// What is found nearly always is not said to be always.
		often := fmt.Sprintf("about %.0f", one.Found)
		if one.Found > 99 {
			often = "more than 99"
		}
		found = append(found, fmt.Sprintf("one of %g %% in %s", one.Difference, often))
	}
	if len(found) == 0 {
		return ""
	}
	return fmt.Sprintf("As the runs vary, a true difference in the sustained rate would have been found so often: %s of 100 such contests.",
		document.Enumerated(found))
}

// items adds a list below its heading, unless it has none.
func items(p *text.Page, heading string, list []string) {
	if len(list) > 0 {
		p.Heading(heading)
	}
	for _, sentence := range list {
		p.Item(sentence)
	}
}

// why says why designs are behind, or cannot.
func (c *Contest) why() []string {
	var list []string
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Reason != "" {
			list = append(list, one.Design+": "+one.Reason)
		}
	}
	return list
}

// onto adds a table below its heading, and how it is to be read, unless it has no row.
func onto(p *text.Page, heading string, t *text.Table, legend string) {
	if len(t.Rows) == 0 {
		return
	}
	p.Heading(heading)
	t.Onto(p)
	p.Line(legend)
}

// mostName is how many columns a name takes of a table.
const mostName = 24

// short cuts a name to what a table has room for.
func short(name string) string {
	safe := text.Harmless(name)
	if text.Columns(safe) <= mostName {
		return safe
	}
	head, _ := text.Cut(safe, mostName-1)
	return head + "…"
}

func (c *Contest) rankingOnto(p *text.Page) {
	if len(c.Ranking) == 0 {
		return
	}
	p.Heading("Ranking")
	t := &text.Table{FlushLeft: []bool{true}, Headings: []string{"design", "rank", "sustained/s", "95 %", "of the first", "95 %", "lost", "worst p99", "held"}}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		row := []string{short(one.Design), rankOf(one), one.Sustained.told(document.Rate), one.Sustained.rates(), one.Ratio.told(), one.Ratio.ratios(),
			one.Lost.told(document.Share), one.WorstP99.told(latency), heldIn(one)}
		t.Rows = append(t.Rows, row)
	}
	t.Onto(p)
	p.Line("sustained: entities of the application's own served per second within what it needs" + c.tag() + "; lost: share of the operations due that " +
		"did not succeed; worst p99: of the operation with the greatest, response time; held: checks that held in all runs; " +
		"of the first: the sustained rate as a part of that of the first; rank: shared where no difference is shown; means over the runs, with the interval of the mean")
	for i := range c.Ranking {
		one := &c.Ranking[i]
		keys := fmt.Sprintf("%s: PartitionKey %s, RowKey %s", one.Design, one.PartitionKey, one.RowKey)
		if one.PartitionKey == "" && one.RowKey == "" {
			continue
		}
		if one.Copies > 0 {
			keys += ", and " + document.Counted(one.Copies, "copy", "copies")
		}
		if one.Order != "" {
			keys += "; new keys: " + one.Order
		}
		p.Item(keys)
	}
}

func (c *Contest) tag() string {
	if c.Figures == "" {
		return ""
	}
	return " (" + c.Figures + ")"
}

func (c *Contest) costsOnto(p *text.Page) {
	t := &text.Table{FlushLeft: []bool{true}, Headings: []string{"design", "counted", "billed", "throttled", "stored, B"}}
	if c.price.PerMillion > 0 {
		t.Headings = append(t.Headings, "cost/million")
	}
	if c.price.PerGiBMonth > 0 {
		t.Headings = append(t.Headings, "and a month")
	}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.Counted == nil {
			continue
		}
		row := []string{short(one.Design), one.Counted.told(document.Rate), one.Billed.told(document.Rate), one.Throttled.told(document.Rate), one.Stored.told(document.Rate)}
		if c.price.PerMillion > 0 {
			row = append(row, document.Told(one.Cost, money))
		}
		if c.price.PerGiBMonth > 0 {
			row = append(row, document.Told(one.Keeping, money))
		}
		t.Rows = append(t.Rows, row)
	}
	throttled := "throttled ones are not billed"
	if c.price.BillRefused {
		throttled = "in the cost, throttled ones are billed, too"
	}
	text := "of each operation that succeeded, with what was spent on those that did not; counted: entities by the documents' rule; " +
		"billed: transactions, a batch being one; " + throttled
	if c.price.PerMillion > 0 {
		text += fmt.Sprintf("; cost: of a million operations that succeeded, at %g a million transactions", c.price.PerMillion)
	}
	onto(p, "What an event costs", t, text+" (derived)")
}

func (c *Contest) timesOnto(p *text.Page) {
	t := &text.Table{FlushLeft: []bool{true}, Headings: []string{"design", "operation", "p50, ms", "p99, ms", "least p99", "greatest p99"}}
	for i := range c.Ranking {
		name := short(c.Ranking[i].Design)
		for _, one := range c.Ranking[i].Operations {
			least, greatest := document.Untold, document.Untold
			if one.P99Range != nil {
				least, greatest = millis(one.P99Range[0]), millis(one.P99Range[1])
			}
			t.Rows = append(t.Rows, []string{name, short(one.Operation), document.Told(one.P50, millis), document.Told(one.P99, millis), least, greatest})
			name = ""
		}
	}
	onto(p, "Response times", t, "of operations that succeeded, back-off included"+c.tag()+"; medians over the runs, the least and the greatest p99 beside them")
}

// movesOnto tells of recovery and of cold partitions, where there is something to tell.
func (c *Contest) movesOnto(p *text.Page) {
	t := &text.Table{FlushLeft: []bool{true}, Headings: []string{"design", "moves", "recovery, s", "95 %", "never", "cold: fairness", "served"}}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.Moves == 0 && one.Fairness == nil {
			continue
		}
		t.Rows = append(t.Rows, []string{short(one.Design), strconv.Itoa(one.Moves), one.Recovery.told(document.Rate), one.Recovery.rates(),
			strconv.Itoa(one.Unrecovered), one.Fairness.told(document.Rate), one.ColdServed.told(document.Share)})
	}
	onto(p, "Moves, and cold partitions", t, "moves: ranges split, moved or merged, in all runs; recovery: the worst of a run, from the move until the share throttled is for 3 s "+
		"what it was before the overload, or 1 %; never: moves after which it was not; cold: partitions offered less than half the target, "+
		"Jain's index over the shares that they were served, and the mean of those shares, not told where keys move on and partitions are hot in turn")
}

// failures lists the checks that did not hold in every run.
func (c *Contest) failures() []string {
	var list []string
	for i := range c.Ranking {
		one := &c.Ranking[i]
		for _, e := range one.Expected {
			if e.Held < e.Runs {
				list = append(list, fmt.Sprintf("%s: %s held in %d of %s", one.Design, e.Expr, e.Held, document.Counted(e.Runs, "run")))
			}
		}
	}
	return list
}

// heldIn is how many checks held in all runs that could tell, of how many that any could.
func heldIn(one *Ranked) string {
	if len(one.Expected) == 0 {
		return document.Untold
	}
	held, told := 0, 0
	for _, e := range one.Expected {
		if e.Runs > 0 {
			told++
		}
		if e.Runs > 0 && e.Held == e.Runs {
			held++
		}
	}
	if told == 0 {
		return results.CannotTell
	}
	return fmt.Sprintf("%d of %d", held, told)
}

func rankOf(one *Ranked) string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot"
	case one.Rank == nil:
		return "not run"
	}
	return strconv.Itoa(*one.Rank)
}
