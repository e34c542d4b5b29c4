package contest

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// answer says who wins, by how much, and whether its checks hold.
func (c *Contest) answer() document.Answer {
	a := document.Answer{State: c.State}
	switch {
	case c.noneHolds():
		a.Claim = strings.ToUpper(c.none()) + " holds your checks"
		for _, says := range []string{c.bestOfNone(), c.wouldChange()} {
			if says != "" {
				a.Says = append(a.Says, sentence(says))
			}
		}
	case c.Winner == nil:
		c.undecided(&a)
	default:
		c.win(&a)
	}
	if c.SurvivesSays != "" {
		a.Says = append(a.Says, c.SurvivesSays)
	}
	if says := c.reserve(); says != "" {
		a.Says = append(a.Says, strings.TrimSpace(says))
	}
	return a
}

// undecided says why nobody wins.
func (c *Contest) undecided(a *document.Answer) {
	best := c.best()
	switch unable := len(c.Ranking) > 0 && c.Ranking[0].place() == "cannot"; {
	case unable:
		a.Claim = "NO DESIGN CAN SERVE what the scenario asks"
		return
	case len(best) == 0:
		a.Claim, a.Beside = "CANNOT TELL which design is best", "nothing was run"
		return
	case len(best) == 1:
		a.Claim, a.Beside = "CANNOT TELL which design is best", "only "+best[0]+" was run"
		return
	case len(c.Ranking[0].Seeds) < 2:
		a.Beside = "one run of a design shows none by itself"
	case len(c.Power) > 0:
		last := c.Power[len(c.Power)-1]
		a.Beside = fmt.Sprintf("one of %s %% between the first two would be found in %s of 100", document.Decimals(last.Difference, 1), last.often())
	}
	a.Claim = "NO DIFFERENCE SHOWN"
	between := document.Enumerated(best)
	if len(best) > mostNamed {
		between = fmt.Sprintf("the %d best designs", len(best))
	}
	a.Says = []string{"between " + between}
}

// best names the designs that share the first place.
func (c *Contest) best() []string {
	var names []string
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Rank != nil && *one.Rank == 1 && len(one.Cannot) == 0 {
			names = append(names, one.Design)
		}
	}
	return names
}

// win says of the winner by how much it is ahead of the next, and what its checks come to.
func (c *Contest) win(a *document.Answer) {
	name, next := *c.Winner, c.next()
	a.Claim = "WINS: " + name
	if next != nil {
		lead := leadOf(&c.Ranking[0], next)
		a.Number, a.Unit, a.Beside = lead.number, lead.unit, lead.beside
		a.Claim += " " + lead.by()
	} else {
		a.Beside = "the only design that can serve every operation"
	}
	first := &c.Ranking[0]
	if says := oneEnd(first.Order); says != "" {
		// How little more its inserts can come to, where no servers help it.
		which := "each"
		if slices.Contains([]string{results.AppendOnly, results.PrependOnly, results.MovingPoint, results.OnePartition}, first.Order) {
			which = "one place"
		}
		if c.PartitionTarget > 0 {
			says += fmt.Sprintf("; %s bears %s/s, however many servers there are", which, document.Count(c.PartitionTarget))
		}
		a.Says = append(a.Says, sentence(says))
		if first.Order == results.AppendOnly || first.Order == results.PrependOnly {
			a.Claim += ", " + first.Order
		}
	}
	a.Says = append(a.Says, first.template())
	if c.State == results.CannotTell {
		a.Claim = strings.Replace(a.Claim, "WINS: "+name, "CANNOT TELL whether its checks hold: "+name+" wins", 1)
	}
	// One that some design that cannot be told may hold.
	switch {
	case c.State == results.DoesNotHold && len(first.Expected) == 0:
		a.Mark = document.MarkOf(c.State, false, nil)
		a.Says = append(a.Says, "It does not sustain the load: "+first.Lost.text(document.Share)+" is lost.")
	case c.State == results.DoesNotHold:
		a.Claim = strings.Replace(a.Claim, "WINS: "+name, "DOES NOT HOLD its checks: "+name+" wins", 1)
	}
}

// next is the best design behind the winner that was run, nil where there is none.
func (c *Contest) next() *Ranked {
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Rank != nil && *one.Rank > 1 && len(one.Cannot) == 0 {
			return one
		}
	}
	return nil
}

// show shows a line for each design, one for why it is behind, and what all rests on.
func (c *Contest) show(d *document.Document) {
	if len(c.Ranking) == 0 {
		return
	}
	t := newStandings("Designs, best first")
	c.addStandings(&t, func(*Ranked) string { return "" })
	var why []string
	for i := range c.Ranking {
		one := &c.Ranking[i]
		heaviest := ""
		if len(one.Reasons) > 0 {
			r := &one.Reasons[0]
			heaviest = r.Says
			if r.Kind == HotPartition && r.Partition != nil && r.Demand >= r.Target && r.Target > 0 {
				heaviest = fmt.Sprintf("partition %s is asked for %s/s and bears %s", document.Key(*r.Partition, longestKey), document.Rate(r.Demand), document.Rate(r.Target))
			}
		}
		if words := document.Join("; ", one.fails(), heaviest); words != "" {
			why = append(why, one.Design+": "+words)
		}
	}
	t = t.Around(mostDesigns)
	// A screen has fifteen lines: those of the table, and one before each block.
	if room := 11 - len(t.Rows) - len(t.Notes); len(why) > room {
		why = document.LimitLines(why, room-1)
	}
	d.Show(t, document.Facts{Lines: why})
	if first := &c.Ranking[0]; len(first.Seeds) > 0 {
		d.Show(document.Facts{Lines: []string{fmt.Sprintf("rests on %s of each design, each with a seed of its own", document.Counted(len(first.Seeds), "run"))}})
	}
}

// newStandings returns a table of designs with a bar for the rate that each sustained.
func newStandings(caption string, more ...string) document.Table {
	return document.NewTable("designs", caption, append([]string{"design|words", "", "sustained/s|rate", "lost|share", "checks held"}, more...)...)
}

// addStandings adds a row for each design. Last is the value of the column after those of all
// standings, if there is one.
func (c *Contest) addStandings(t *document.Table, last func(*Ranked) string) {
	most := 0.
	for i := range c.Ranking {
		if e := c.Ranking[i].Sustained; e != nil {
			most = max(most, e.Mean)
		}
	}
	for i := range c.Ranking {
		one := &c.Ranking[i]
		var bar, sustained any = "", one.place()
		if one.Sustained != nil {
			bar, sustained = &document.Bar{Solid: one.Sustained.Mean, Full: most}, one.Sustained.Mean
		}
		tone := document.ToneOf(one.State)
		t.Add(tone, one.Design, bar, sustained, one.Lost.mean(), tone, one.heldIn(), last(one))
	}
}

// mostDesigns is how many of them the screen shows.
const mostDesigns = 6

// longestKey is how much of a key a line has room for.
const longestKey = 24
