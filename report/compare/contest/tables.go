package contest

import (
	"strconv"

	"loadgen/report/document"
)

func (e *Estimate) text(as func(float64) string) string { return document.Told(e.mean(), as) }

func (e *Estimate) mean() *float64 {
	if e == nil {
		return nil
	}
	return &e.Mean
}

func (e *Estimate) interval() *[2]float64 {
	if e == nil {
		return nil
	}
	return e.Interval
}

func (c *Contest) ranking() document.Table {
	t := document.NewTable("ranking", "Designs, best first", "design|words", "rank", "sustained/s|rate", "95 %|rate", "of the first|factor",
		"95 %|factor", "lost|share", "worst p99|micros", "held")
	for i := range c.Ranking {
		one := &c.Ranking[i]
		ratio := []any{nil, nil}
		if one.Ratio != nil {
			ratio = []any{one.Ratio.Ratio, one.Ratio.Interval}
		}
		t.Add(one.Design, one.place(), one.Sustained.mean(), one.Sustained.interval(), ratio, one.Lost.mean(), one.WorstP99.mean(),
			document.ToneOf(one.State), one.heldIn())
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
	t := document.NewTable("costs", "What an event costs", "design|words", "counted|rate", "billed|rate", "throttled|rate", "stored, B|rate",
		"cost/million|money|optional", "and a month|money|optional")
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.Counted != nil {
			t.Add(one.Design, one.Counted.mean(), one.Billed.mean(), one.Throttled.mean(), one.Stored.mean(), one.Cost, one.Keeping)
		}
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
	return t.WithoutEmpty()
}

func (c *Contest) times() document.Table {
	t := document.NewTable("times", "Response times", "design|words", "operation|words", "p50|millis|unit=ms", "p99|millis|unit=ms",
		"least p99|millis|unit=ms", "greatest p99|millis|unit=ms")
	for i := range c.Ranking {
		for _, one := range c.Ranking[i].Operations {
			least, greatest := (*int64)(nil), (*int64)(nil)
			if one.P99Range != nil {
				least, greatest = &one.P99Range[0], &one.P99Range[1]
			}
			t.Add(c.Ranking[i].Design, one.Operation, one.P50, one.P99, least, greatest)
		}
	}
	t.Notes = []string{"of operations that succeeded, back-off included" + c.tag() + "; medians over the runs, the least and the greatest p99 beside them"}
	return t
}

// moves shows recovery and cold partitions, where there are any.
func (c *Contest) moves() document.Table {
	t := document.NewTable("moves", "Moves, and cold partitions", "design|words", "moves", "recovery, s|rate", "95 %|rate", "never", "cold: fairness|rate", "served|share")
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Moves != 0 || one.Fairness != nil {
			t.Add(one.Design, one.Moves, one.Recovery.mean(), one.Recovery.interval(), one.Unrecovered, one.Fairness.mean(), one.ColdServed.mean())
		}
	}
	t.Notes = []string{"moves: ranges split, moved or merged, in all runs; recovery: the worst of a run, from the move until the share throttled is for 3 s " +
		"what it was before the overload, or 1 %; never: moves after which it was not; cold: partitions offered less than half the target, " +
		"Jain's index over the shares that they were served, and the mean of those shares, not told where keys move on and partitions are hot in turn"}
	return t
}
