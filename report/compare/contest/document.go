package contest

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// ChartID is the ID of the chart of a contest: where the load of each design went.
const ChartID = "heat"

// QuickRuns is the number of runs of each design in a quick contest.
const QuickRuns = 2

// maxDesigns is how many designs the screen shows.
const maxDesigns = 6

// answer returns which design wins or which designs hold, with the sentences for some places.
func (n *narrative) answer(places ...string) document.Answer {
	a := document.Answer{State: n.State, Claim: n.first(inClaim), Beside: n.first(inBeside), Says: n.sentences(places...)}
	switch {
	case n.Winner != nil:
		a.Number = *n.Winner
		if n.State == results.DoesNotHold && n.First.State == "" { // nothing was expected
			a.Mark = document.MarkOf(n.State, false, nil)
		}
	case strings.HasPrefix(a.Claim, n.HeldOf()):
		a.Number = n.HeldOf()
		if n.groups[groupUnknown] == nil {
			a.Mark = document.MarkOf(document.Holds, true, new(true))
		}
	}
	return a
}

// Document returns the report of a contest. Its Data is the contest.
func Document(c *Contest) *document.Document {
	n := newNarrative(c)
	d := &document.Document{Title: document.Join(": ", "Contest of designs", c.Scenario), Answer: n.answer(inAnswer, inScreen), Data: c}
	d.Subtitle = document.Join(" · ", document.Counted(len(c.Ranking), "design"), c.Target,
		document.Join(", ", c.Figures, optional(c.Figures != "" && c.Profile != "", "profile %s", c.Profile)),
		optional(len(n.First.Seeds) == QuickRuns, "quick: 2 runs of each"))
	if c.Ended != "" {
		d.Warnings = []string{c.Ended}
	}
	n.show(d)
	d.Add("why", "Why", document.List{Items: c.why(maxReasons)})
	d.Add("ranking", "Ranking", c.ranking(), c.keys())
	if n.Ran > 0 {
		where := document.Chart{ID: ChartID, Title: "Where the load went, by design",
			Says: "One row per partition, in the order of its keys: served and throttled by second."}
		d.Screen = append(d.Screen, where)
		d.Add("where", "Where the load went", where)
	}
	d.Add("costs", "What an event costs", c.costs())
	d.Add("times", "Response times", c.times())
	d.Add("moves", "Moves, and cold partitions", c.moves())
	d.Add("rests-on", "Basis", document.List{Items: c.RestsOn})
	d.Add("cannot-tell", "Limitations", document.List{Items: c.CannotTell})
	d.Add("repeat", "Repeat this contest", document.Paragraph{Text: c.Repeat, Verbatim: true})
	return d
}

// maxReasons is above the number of reasons that a design can have.
const maxReasons = 100

// show adds a line for each design, a line for each that fails or is behind, and the runs.
func (n *narrative) show(d *document.Document) {
	t := n.standings("Designs, best first", func(*Ranked) any { return nil }).Around(maxDesigns)
	why := n.why(1)
	// A screen has fifteen lines, one of them before each block.
	if room := 11 - len(t.Rows) - len(t.Notes); len(why) > room {
		why = document.LimitLines(why, room-1)
	}
	d.Show(t, document.Facts{Lines: why}, document.Facts{Lines: n.sentences(inRuns)})
}

// why returns for each design the checks that did not hold in every run and some of its reasons,
// the most important first.
func (c *Contest) why(reasons int) []string {
	var lines []string
	for _, one := range c.Ranking {
		var fails, says []string
		for _, e := range one.Expected {
			if e.Held < e.Runs {
				fails = append(fails, e.Expr+optional(e.Observed != "", " (%s)", e.Observed)+optional(e.Held > 0, ", held in %d of %d runs", e.Held, e.Runs))
			}
		}
		for _, reason := range one.Reasons[:min(reasons, len(one.Reasons))] {
			says = append(says, reason.Says)
		}
		if text := document.Join("; ", optional(fails != nil, "fails %s", strings.Join(fails, ", ")), strings.Join(says, "; ")); text != "" {
			lines = append(lines, one.Design+": "+text)
		}
	}
	return lines
}

// standings has a row for each design with a bar for its sustained rate. Last returns the value of
// the last column, if there is one.
func (c *Contest) standings(caption string, last func(*Ranked) any, more ...string) document.Table {
	t := document.NewTable("designs", caption, append([]string{"design|words", "", "sustained/s|rate", "lost|share", "checks held"}, more...)...)
	full := 0.
	for i := range c.Ranking {
		full = max(full, c.Ranking[i].Sustained.value())
	}
	for _, one := range c.Ranking {
		var bar, sustained any = "", one.place()
		if one.Sustained != nil {
			bar, sustained = &document.Bar{Solid: one.Sustained.Mean, Full: full}, one.Sustained.Mean
		}
		tone := document.ToneOf(one.State)
		t.Add(tone, one.Design, bar, sustained, one.Lost.mean(), tone, one.heldIn(), last(&one))
	}
	return t
}

// heldIn is the number of checks that hold, of those with a result.
func (one *Ranked) heldIn() string {
	held, _, known := countChecks(one.Expected)
	switch {
	case len(one.Expected) == 0:
		return document.Untold
	case known == 0:
		return results.CannotTell
	}
	return fmt.Sprintf("%d of %d", held, known)
}

// Keys returns the templates of the keys.
func (one *Ranked) Keys() string {
	return fmt.Sprintf("PartitionKey %s, RowKey %s", one.PartitionKey, one.RowKey)
}

// keys shows the keys of each design.
func (c *Contest) keys() document.Table {
	t := document.NewTable("keys", "Keys", "design|words", "PartitionKey|words", "RowKey|words", "copies|nonzero|optional", "new keys|words|optional")
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.PartitionKey != "" || one.RowKey != "" {
			t.Add(one.Design, one.PartitionKey, one.RowKey, one.Copies, one.Order)
		}
	}
	return t.WithoutEmpty()
}

func (c *Contest) ranking() document.Table {
	t := document.NewTable("ranking", "Designs, best first", "design|words", "rank", "sustained/s|rate", "95 %|rate", "of the first|factor",
		"95 %|factor", "lost|share", "worst p99|micros", "held")
	for _, one := range c.Ranking {
		ratio := []any{nil, nil}
		if one.Ratio != nil {
			ratio = []any{one.Ratio.Ratio, one.Ratio.Interval}
		}
		t.Add(one.Design, one.place(), one.Sustained.mean(), one.Sustained.interval(), ratio, one.Lost.mean(), one.WorstP99.mean(),
			document.ToneOf(one.State), one.heldIn())
	}
	t.Notes = []string{document.Join("; ", c.Figures, rankingNote)}
	return t
}

// place is the rank of a design, or why it has none.
func (one *Ranked) place() string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot"
	case one.Rank == nil:
		return "not run"
	}
	return strconv.Itoa(*one.Rank)
}

func (c *Contest) costs() document.Table {
	t := document.NewTable("costs", "What an event costs", "design|words", "counted|rate", "billed|rate", "throttled|rate", "stored, B|rate",
		"cost/million|money|optional", "and a month|money|optional")
	for i := range c.Ranking {
		if one := &c.Ranking[i]; len(one.Seeds) > 0 {
			t.Add(one.Design, one.Counted.mean(), one.Billed.mean(), one.Throttled.mean(), one.Stored.mean(), one.Cost, one.Keeping)
		}
	}
	t.Notes = []string{costsNote}
	if p := c.Price; p != nil {
		t.Notes[0] += optional(p.BillRefused, "; the cost includes throttled requests") +
			optional(p.PerMillion > 0, "; price of a million transactions: %s", document.Money(p.PerMillion))
	}
	return t.WithoutEmpty()
}

func (c *Contest) times() document.Table {
	t := document.NewTable("times", "Response times", "design|words", "operation|words", "p50|millis|unit=ms", "p99|millis|unit=ms",
		"min p99|millis|unit=ms", "max p99|millis|unit=ms")
	for i := range c.Ranking {
		for _, one := range c.Ranking[i].Operations {
			bounds := []any{nil, nil}
			if one.P99Range != nil {
				bounds = []any{one.P99Range[0], one.P99Range[1]}
			}
			t.Add(c.Ranking[i].Design, one.Operation, one.P50, one.P99, bounds)
		}
	}
	t.Notes = []string{document.Join("; ", c.Figures, timesNote)}
	return t
}

// moves shows recovery and cold partitions of the designs that have any.
func (c *Contest) moves() document.Table {
	t := document.NewTable("moves", "Moves, and cold partitions", "design|words", "moves", "recovery, s|rate", "95 %|rate", "never", "cold: fairness|rate", "served|share")
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Moves != 0 || one.Fairness != nil {
			t.Add(one.Design, one.Moves, one.Recovery.mean(), one.Recovery.interval(), one.Unrecovered, one.Fairness.mean(), one.ColdServed.mean())
		}
	}
	t.Notes = []string{movesNote}
	return t
}
