package contest

import (
	"fmt"
	"strings"

	"loadgen/report/document"
)

// ChartID is that of the chart of a contest: where the load of each design went.
const ChartID = "heat"

// Document returns what there is to say of a contest: who wins, by how much, and why the
// others do not. Its Data is the contest.
func Document(c *Contest) *document.Document {
	d := &document.Document{Title: "Contest of designs", Subtitle: c.subtitle(), Answer: c.answer(), Data: c}
	if c.Scenario != "" {
		d.Title += ": " + c.Scenario
	}
	if c.Ended != "" {
		d.Warnings = []string{c.Ended}
	}
	c.show(d)
	power := ""
	if c.Winner == nil && len(c.Power) > 0 { // a difference that is shown needs none
		var found []string
		for _, one := range c.Power {
			found = append(found, fmt.Sprintf("one of %s %% in %s", document.Decimals(one.Difference, 1), one.often()))
		}
		power = fmt.Sprintf("As the runs vary, a true difference in the sustained rate between %s and %s would have been found so often: %s of 100 such contests.",
			c.Ranking[0].Design, c.Ranking[1].Design, document.Enumerated(found))
	}
	var why []string
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Reason != "" {
			why = append(why, one.Design+": "+one.Reason)
		}
	}
	d.Add("verdict", "Verdict", document.Paragraph{Text: c.Verdict, Lead: true, Tone: document.ToneOf(c.State)},
		document.Paragraph{Text: c.SurvivesSays}, document.Paragraph{Text: power})
	d.Add("why", "Why", document.List{Items: why})
	d.Add("ranking", "Ranking", c.ranking(), document.List{Items: c.keys()})
	if c.ran() > 0 {
		where := document.Chart{ID: ChartID, Title: "Where the load went, design by design",
			Says: "One row a partition, in the order of its keys: what was served by second, and what was throttled."}
		d.Screen = append(d.Screen, where)
		d.Add("where", "Where the load went", where)
	}
	d.Add("costs", "What an event costs", c.costs())
	d.Add("times", "Response times", c.times())
	d.Add("moves", "Moves, and cold partitions", c.moves())
	d.Add("failures", "Failed checks", document.List{Items: c.failures()})
	d.Add("rests-on", "Basis", document.List{Items: c.RestsOn})
	d.Add("cannot-tell", "Limitations", document.List{Items: c.CannotTell})
	d.Add("repeat", "Repeat this contest", document.Paragraph{Text: c.Repeat, Verbatim: true})
	return d
}

// ran is how many designs have runs.
func (c *Contest) ran() (n int) {
	for i := range c.Ranking {
		if len(c.Ranking[i].Seeds) > 0 {
			n++
		}
	}
	return n
}

func (c *Contest) subtitle() string {
	parts := []string{document.Counted(len(c.Ranking), "design")}
	if c.Target != "" {
		parts = append(parts, c.Target)
	}
	switch {
	case c.Figures == "":
	case c.Profile != "":
		parts = append(parts, c.Figures+", profile "+c.Profile)
	default:
		parts = append(parts, c.Figures)
	}
	if c.ran() > 0 && len(c.Ranking[0].Seeds) == QuickRuns {
		parts = append(parts, "quick: 2 runs of each")
	}
	return strings.Join(parts, " · ")
}

// QuickRuns is how many runs a design has in a contest that is quick, which says so.
const QuickRuns = 2

// often is of how many contests of a hundred the difference is found in. What is found nearly
// always is not said to be always.
func (p Power) often() string {
	if p.Found > 99 {
		return "more than 99"
	}
	return "about " + document.Decimals(p.Found, 0)
}

// keys says what the keys of each design are made of.
func (c *Contest) keys() []string {
	var list []string
	for i := range c.Ranking {
		one := &c.Ranking[i]
		if one.PartitionKey == "" && one.RowKey == "" {
			continue
		}
		keys := one.Design + ": " + one.template()
		if one.Copies > 0 {
			keys += ", and " + document.Counted(one.Copies, "copy", "copies")
		}
		if one.Order != "" {
			keys += "; new keys: " + one.Order
		}
		list = append(list, keys)
	}
	return list
}

func (one *Ranked) template() string {
	return fmt.Sprintf("PartitionKey %s, RowKey %s", one.PartitionKey, one.RowKey)
}
