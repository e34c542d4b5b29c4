package contest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"loadgen/report/compare/statistics"
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
	a := document.Answer{State: n.State, Claim: n.firstSentence("claim"), Beside: n.firstSentence("beside"), Says: n.sentences(places...)}
	switch {
	case n.Winner != nil:
		a.Number = *n.Winner
		if n.State == results.DoesNotHold && n.First.State == "" { // nothing was expected
			a.Mark = document.MarkOf(n.State, false, nil)
		}
	case strings.HasPrefix(a.Claim, n.HeldOf()):
		a.Number = n.HeldOf()
		if n.groups["cannot tell"] == nil {
			a.Mark = document.MarkOf(document.Holds, true, new(true))
		}
	}
	return a
}

// Document returns the report of a contest. Its Data is the contest.
func Document(c *Contest) *document.Document {
	n := newNarrative(c)
	d := &document.Document{Title: document.Join(": ", "Contest of designs", c.Scenario), Answer: n.answer("answer", "screen"), Data: c}
	d.Subtitle = document.Join(" · ", document.Counted(len(c.Ranking), "design"), c.Target,
		document.Join(", ", c.Figures, optional(c.Figures != "" && c.Profile != "", "profile %s", c.Profile)),
		optional(len(n.First.Seeds) == QuickRuns, "quick: 2 runs of each"))
	if c.Ended != "" {
		d.Warnings = []string{c.Ended}
	}
	d.Warnings = append(d.Warnings, c.Warnings...)
	n.addScreen(d)
	d.Add("why", "Why", document.List{Items: c.explanations(maxReasons)})
	d.Add("ranking", "Ranking", n.ranking(), c.keys())
	if n.Ran > 0 {
		where := document.Chart{ID: ChartID, Title: "Where the load went, by design",
			Says: "One row per partition, in the order of its keys: served and throttled by second."}
		d.Screen = append(d.Screen, where)
		d.Add("where", "Where the load went", where)
	}
	d.Add("costs", "What an event costs", n.costs())
	d.Add("times", "Response times", n.times())
	d.Add("moves", "Moves, and cold partitions", n.moves())
	d.Add("rests-on", "Basis", document.List{Items: c.RestsOn})
	d.Add("cannot-tell", "Limitations", document.List{Items: c.CannotTell})
	d.Add("repeat", "Repeat this contest", document.Paragraph{Text: c.Repeat, Verbatim: true})
	return d
}

// maxReasons is above the number of reasons that a design can have.
const maxReasons = 100

// addScreen adds a line for each design, a line for each that fails or is behind, and the runs.
func (n *narrative) addScreen(d *document.Document) {
	t := n.standings("Designs, best first", func(*Ranked) any { return nil }).Around(maxDesigns)
	why := n.explanations(1)
	// A screen has fifteen lines, one of them before each block.
	if room := 11 - len(t.Rows) - len(t.Notes); len(why) > room {
		why = document.LimitLines(why, room-1)
	}
	d.Show(t, document.Facts{Lines: why}, document.Facts{Lines: n.sentences("runs")})
}

// explanations returns for each design the checks that did not hold in every run and some of its reasons,
// the most important first.
func (c *Contest) explanations(reasons int) []string {
	return collect(c.Ranking, func(one *Ranked) string {
		fails := collect(one.Expected, func(e *Check) string {
			return optional(e.Held < e.Runs, "%s%s%s", e.Expr, optional(e.Observed != "", " (%s)", e.Observed), optional(e.Held > 0, ", held in %d of %d runs", e.Held, e.Runs))
		})
		says := collect(one.Reasons[:min(reasons, len(one.Reasons))], func(r *Reason) string { return r.Says })
		text := document.Join("; ", optional(fails != nil, "fails %s", strings.Join(fails, ", ")), strings.Join(says, "; "))
		return optional(text != "", "%s: %s", one.Design, text)
	})
}

// standings has a row for each design with a bar for its sustained rate. Last returns the value of
// the last column, if there is one.
func (c *Contest) standings(caption string, last func(*Ranked) any, more ...string) document.Table {
	full := 0.
	for i := range c.Ranking {
		full = max(full, c.Ranking[i].Sustained.Value())
	}
	return c.table("designs", caption, func(one *Ranked) []any {
		var bar, sustained any = "", one.rankText()
		if one.Sustained != nil {
			bar, sustained = &document.Bar{Solid: one.Sustained.Mean, Full: full}, one.Sustained.Mean
		}
		tone := document.ToneOf(one.State)
		return []any{tone, one.Design, bar, sustained, one.Lost.Pointer(), tone, one.checksText(), last(one)}
	}, append([]string{"design|words", "", "sustained/s|rate", "lost|share", "checks held"}, more...)...)
}

// table returns a table with a row for each design that has one.
func (c *Contest) table(id, caption string, row func(*Ranked) []any, columns ...string) document.Table {
	t := document.NewTable(id, caption, columns...)
	for i := range c.Ranking {
		if values := row(&c.Ranking[i]); values != nil {
			t.Add(values...)
		}
	}
	return t.WithoutEmpty()
}

// estimateCells are a mean and its interval.
func estimateCells(e *statistics.Estimate) []any {
	if e == nil {
		return []any{nil, nil}
	}
	return []any{e.Mean, e.Interval}
}

// checksText is the number of checks that hold, of those with a result.
func (one *Ranked) checksText() string {
	switch n := one.Checks(); {
	case len(one.Expected) == 0:
		return document.Untold
	case n.Known == 0:
		return results.CannotTell
	default:
		return fmt.Sprintf("%d of %d", n.Held, n.Known)
	}
}

// Keys returns the templates of the keys.
func (one *Ranked) Keys() string {
	return fmt.Sprintf("PartitionKey %s, RowKey %s", one.PartitionKey, one.RowKey)
}

// keys shows the keys of each design.
func (c *Contest) keys() document.Table {
	return c.table("keys", "Keys", func(one *Ranked) []any {
		if one.PartitionKey == "" && one.RowKey == "" {
			return nil
		}
		return []any{one.Design, one.PartitionKey, one.RowKey, one.Copies, one.Order}
	}, "design|words", "PartitionKey|words", "RowKey|words", "copies|nonzero|optional", "new keys|words|optional")
}

func (n *narrative) ranking() document.Table {
	t := n.table("ranking", "Designs, best first", func(one *Ranked) []any {
		ratio := []any{nil, nil}
		if one.Ratio != nil {
			ratio = []any{one.Ratio.Ratio, one.Ratio.Interval}
		}
		return []any{one.Design, one.rankText(), estimateCells(one.Sustained), ratio, one.Lost.Pointer(), one.WorstP99.Pointer(), document.ToneOf(one.State), one.checksText()}
	}, "design|words", "rank", "sustained/s|rate", "95%|rate", "of the first|factor", "95%|factor", "lost|share", "worst p99|micros", "held")
	t.Notes = n.sentences("ranking note")
	return t
}

// rankText is the rank of a design, or why it has none.
func (one *Ranked) rankText() string {
	switch {
	case len(one.Cannot) > 0:
		return "cannot"
	case one.Rank == nil:
		return "not run"
	}
	return strconv.Itoa(*one.Rank)
}

func (n *narrative) costs() document.Table {
	t := n.table("costs", "What an event costs", func(one *Ranked) []any {
		if len(one.Seeds) == 0 {
			return nil
		}
		return []any{one.Design, one.Counted.Pointer(), one.Billed.Pointer(), one.Throttled.Pointer(), one.Stored.Pointer(), one.Cost, one.Keeping}
	}, "design|words", "counted|rate", "billed|rate", "throttled|rate", "stored, B|rate", "cost/million|money|optional", "and a month|money|optional")
	t.Notes = n.sentences("costs note")
	return t
}

func (n *narrative) times() document.Table {
	t := document.NewTable("times", "Response times", "design|words", "operation|words", "p50|millis|unit=ms", "p99|millis|unit=ms",
		"min p99|millis|unit=ms", "max p99|millis|unit=ms")
	for i := range n.Ranking {
		for _, one := range n.Ranking[i].Operations {
			bounds := []any{nil, nil}
			if one.P99Range != nil {
				bounds = []any{one.P99Range[0], one.P99Range[1]}
			}
			t.Add(n.Ranking[i].Design, one.Operation, one.P50, one.P99, bounds)
		}
	}
	t.Notes = n.sentences("times note")
	return t
}

// moves shows recovery and cold partitions of the designs that have any.
func (n *narrative) moves() document.Table {
	t := n.table("moves", "Moves, and cold partitions", func(one *Ranked) []any {
		if one.Moves == 0 && one.Fairness == nil {
			return nil
		}
		return []any{one.Design, one.Moves, estimateCells(one.Recovery), one.Unrecovered, one.Fairness.Pointer(), one.ColdServed.Pointer()}
	}, "design|words", "moves", "recovery, s|rate", "95%|rate", "never", "cold: fairness|rate", "served|share")
	t.Notes = n.sentences("moves note")
	return t
}

// Progress is a contest in progress.
type Progress struct {
	// Standing is the contest by the runs that are over.
	Standing *Contest
	// Seeds is the planned number of runs of each design, Done and Of count the runs, those under
	// another profile included.
	Seeds, Done, Of int
	// Left is the remaining time, nil if unknown.
	Left *time.Duration
	// UnderWay are the runs in progress. Over means that no run is left.
	UnderWay []UnderWay
	Over     bool
}

// UnderWay is a run in progress.
type UnderWay struct {
	Design string `col:""`
	// Run counts from 1; Profile is empty for that of the scenario.
	Run     int    `col:""`
	Profile string `col:"|spare=2"`
	Phase   string `col:"|named|spare=1"`
	// At is the run's own time, Left the remaining time, nil if unknown.
	At   time.Duration  `col:"in|minutes"`
	Left *time.Duration `col:"|minutes"`
	// Offered and Served are entities per second, Throttled is the share of the attempts, of the
	// last seconds; nil if there are too few.
	Offered   *float64 `col:"|rate|unit=entities/s"`
	Served    *float64 `col:"|rate|unit=entities/s"`
	Throttled *float64 `col:"|share"`
}

// Document returns the standing of the contest, with the same structure at every call, and the
// line above the page. There is no standing until each design that can run has a run.
func (s *Progress) Document() (d *document.Document, says string) {
	n, runs := newNarrative(s.Standing), fmt.Sprintf("%d of %d runs are over", s.Done, s.Of)
	left := func(d time.Duration) string { return document.Minutes(d.Seconds()) }
	says = "live · " + runs + optional(s.Left != nil, " · about %s left", document.Optional(s.Left, left))
	if s.Over {
		says = "the runs are over: the report is being made"
	}
	a := document.Answer{Claim: "NOTHING TO TELL YET", Beside: "each design needs a finished run"}
	if n.Idle() == nil {
		a = n.answer("answer", "screen")
		a.State, a.Mark, a.Claim = "", nil, "SO FAR: "+a.Claim
		a.Says = append(a.Says[:min(2, len(a.Says))], "Stopping early at a good result makes false results more likely.")
	}
	designs := n.standings("Designs, best first so far", func(one *Ranked) any {
		if len(one.Cannot) > 0 {
			return "cannot"
		}
		return fmt.Sprintf("%d of %d", len(one.Seeds), s.Seeds)
	}, "runs")
	return &document.Document{
		Title: "Contest of designs: " + n.Scenario, Subtitle: document.Counted(len(n.Ranking), "design") + " · " + runs, Answer: a,
		Screen: []document.Block{designs},
		Sections: []document.Section{{ID: "under-way", Title: "Runs in progress",
			Blocks: []document.Block{document.TableOf("runs", "Runs in progress, by their own clocks", s.UnderWay)}}},
	}, says
}
