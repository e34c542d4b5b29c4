package contest

import (
	"strconv"

	"loadgen/report/document"
)

// The cells of the tables: a mean, or an interval, or an en dash for what is not told.

func (e *Estimate) told(as func(float64) string) string {
	return document.Told(e, func(e Estimate) string { return as(e.Mean) })
}

func (e *Estimate) interval() string {
	return document.Told(e, func(e Estimate) string { return document.Interval(e.Interval, document.Rate) })
}

// latency shows a mean of whole microseconds.
func latency(micros float64) string { return document.Micros(int64(micros)) }

func (c *Contest) ranking() document.Table {
	t := document.Table{ID: "ranking", Caption: "Designs, best first",
		Columns: document.Headed(1, "design", "rank", "sustained/s", "95 %", "of the first", "95 %", "lost", "worst p99", "held")}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		ratio := document.Told(one.Ratio, func(e Effect) string { return document.Factor(e.Ratio) })
		interval := document.Told(one.Ratio, func(e Effect) string { return document.Interval(e.Interval, document.Factor) })
		row := document.Cells(one.Design, one.place(), one.Sustained.told(document.Rate), one.Sustained.interval(), ratio, interval,
			one.Lost.told(document.Share), one.WorstP99.told(latency), one.heldIn())
		row[len(row)-1].Tone = document.ToneOf(one.State)
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"sustained: entities of the application's own served per second within what it needs" + c.tag() + "; lost: share of the operations due that " +
		"did not succeed; worst p99: of the operation with the greatest, response time; held: checks that held in all runs; " +
		"of the first: the sustained rate as a part of that of the first; rank: shared where no difference is shown; means over the runs, with the interval of the mean"}
	return t
}

func (one *Ranked) place() string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot"
	case one.Rank == nil:
		return "not run"
	}
	return strconv.Itoa(*one.Rank)
}

func (c *Contest) tag() string {
	if c.Figures == "" {
		return ""
	}
	return " (" + c.Figures + ")"
}

func (c *Contest) costs() document.Table {
	price := Price{}
	if c.Price != nil {
		price = *c.Price
	}
	titles := []string{"design", "counted", "billed", "throttled", "stored, B"}
	if price.PerMillion > 0 {
		titles = append(titles, "cost/million")
	}
	if price.PerGiBMonth > 0 {
		titles = append(titles, "and a month")
	}
	t := document.Table{ID: "costs", Caption: "What an event costs", Columns: document.Headed(1, titles...)}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.Counted == nil {
			continue
		}
		row := document.Cells(one.Design, one.Counted.told(document.Rate), one.Billed.told(document.Rate), one.Throttled.told(document.Rate), one.Stored.told(document.Rate))
		if price.PerMillion > 0 {
			row = append(row, document.Cell{Text: document.Told(one.Cost, document.Money)})
		}
		if price.PerGiBMonth > 0 {
			row = append(row, document.Cell{Text: document.Told(one.Keeping, document.Money)})
		}
		t.Rows = append(t.Rows, row)
	}
	note := "of each operation that succeeded, with what was spent on those that did not; counted: entities by Azure's documented rule; " +
		"billed: transactions, a batch being one; "
	if price.BillRefused {
		note += "in the cost, throttled ones are billed, too"
	} else {
		note += "throttled ones are not billed"
	}
	if price.PerMillion > 0 {
		note += "; cost: of a million operations that succeeded, at " + document.Money(price.PerMillion) + " a million transactions"
	}
	t.Notes = []string{note + " (derived)"}
	return t
}

func (c *Contest) times() document.Table {
	t := document.Table{ID: "times", Caption: "Response times", Columns: document.Headed(2, "design", "operation", "p50", "p99", "least p99", "greatest p99")}
	for i := 2; i < len(t.Columns); i++ {
		t.Columns[i].Unit = "ms"
	}
	for i := range c.Ranking {
		for _, one := range c.Ranking[i].Operations {
			least, greatest := document.Untold, document.Untold
			if one.P99Range != nil {
				least, greatest = document.Millis(one.P99Range[0]), document.Millis(one.P99Range[1])
			}
			t.Rows = append(t.Rows, document.Cells(c.Ranking[i].Design, one.Operation, document.Told(one.P50, document.Millis), document.Told(one.P99, document.Millis), least, greatest))
		}
	}
	t.Notes = []string{"of operations that succeeded, back-off included" + c.tag() + "; medians over the runs, the least and the greatest p99 beside them"}
	return t
}

// moves tells of recovery and of cold partitions, where there is something to tell.
func (c *Contest) moves() document.Table {
	t := document.Table{ID: "moves", Caption: "Moves, and cold partitions",
		Columns: document.Headed(1, "design", "moves", "recovery, s", "95 %", "never", "cold: fairness", "served")}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.Moves == 0 && one.Fairness == nil {
			continue
		}
		t.Rows = append(t.Rows, document.Cells(one.Design, strconv.Itoa(one.Moves), one.Recovery.told(document.Rate), one.Recovery.interval(),
			strconv.Itoa(one.Unrecovered), one.Fairness.told(document.Rate), one.ColdServed.told(document.Share)))
	}
	t.Notes = []string{"moves: ranges split, moved or merged, in all runs; recovery: the worst of a run, from the move until the share throttled is for 3 s " +
		"what it was before the overload, or 1 %; never: moves after which it was not; cold: partitions offered less than half the target, " +
		"Jain's index over the shares that they were served, and the mean of those shares, not told where keys move on and partitions are hot in turn"}
	return t
}
