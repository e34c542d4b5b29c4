package contest

import (
	"fmt"
	"strings"

	"loadgen/report/document"
)

func (c *Contest) judge(r *order, ran, unable []*Arm, idle []string) {
	switch {
	case len(ran) == 0 && len(unable) > 0 && len(idle) == 0:
		c.Verdict = "No design can serve what the scenario asks."
		return
	case len(ran) == 0:
		c.Verdict = "Nothing was run, so nothing is told."
		return
	case len(ran) == 1 && len(idle) == 0 && len(unable) > 0 && !c.noneHolds():
		c.Winner = new(ran[0].Design)
		c.Verdict = ran[0].Design + " wins: it is the only design that can serve every operation."
		return
	case len(ran) == 1 && (len(idle) > 0 || len(unable) == 0):
		c.Verdict = "Only " + ran[0].Design + " was run, so nothing is told of the others."
		return
	}
	switch {
	case c.noneHolds():
		c.Verdict = c.none() + " holds your checks." + sentenceOf(c.bestOfNone()) + sentenceOf(c.wouldChange())
	case r.winner() >= 0:
		c.Winner = new(r.names[r.winner()])
		c.Verdict = leadOf(&c.Ranking[0], c.next()).sentence(*c.Winner)
	default:
		c.Verdict = r.tie(ran)
	}
	if len(idle) > 0 {
		c.Verdict += fmt.Sprintf(" Not run, and so not ranked: %s.", strings.Join(idle, ", "))
	}
	c.Verdict += c.reserve()
}

// reserve says which runs do not speak for their designs alone, empty where all do.
func (c *Contest) reserve() string {
	doubtful, limited, runs, says := 0, 0, 0, ""
	for i := range c.Ranking {
		one := &c.Ranking[i]
		doubtful, limited, runs = doubtful+one.Doubtful, limited+one.Limited, runs+len(one.Seeds)
	}
	if doubtful > 0 {
		says += fmt.Sprintf(" Not valid: %d of %s, which did not come to their end, or prove nothing.", doubtful, document.Counted(runs, "run", "runs"))
	}
	if limited > 0 {
		says += fmt.Sprintf(" Client-limited: %d of %s, whose rates and times may be the generator's rather than a design's.",
			limited, document.Counted(runs, "run", "runs"))
	}
	return says
}

// tie says that the best designs are not told apart, and why not.
func (r *order) tie(ran []*Arm) string {
	names := r.best()
	text := fmt.Sprintf("No difference shown between %s.", document.Enumerated(names))
	if len(names) > mostNamed {
		text = fmt.Sprintf("No difference shown between the %d best designs.", len(names))
	}
	fewest := len(ran[r.sequence[0]].Trials)
	for i := range ran {
		if r.ranks[i] == 1 {
			fewest = min(fewest, len(ran[i].Trials))
		}
	}
	if fewest < 2 {
		return text + " One run of a design shows none by itself: it takes two or more, better five."
	}
	for _, i := range r.sequence {
		if r.ranks[i] == len(names)+1 && len(names) == 2 {
			return text + fmt.Sprintf(" Both are ahead of %s.", r.names[i])
		} else if r.ranks[i] == len(names)+1 {
			return text + fmt.Sprintf(" All of them are ahead of %s.", r.names[i])
		}
	}
	return text
}

// mostNamed is how many designs a sentence names.
const mostNamed = 5

// rest says what the verdict rests on, and adds to what it cannot tell.
func (c *Contest) rest(r *order, ran []*Arm) {
	if len(ran) == 0 {
		return
	}
	least, greatest, events := len(ran[0].Trials), 0, int64(0)
	for _, arm := range ran {
		least, greatest = min(least, len(arm.Trials)), max(greatest, len(arm.Trials))
		for i := range arm.Trials {
			events = max(events, arm.Trials[i].Events)
		}
	}
	runs := document.Counted(least, "run", "runs")
	if least != greatest {
		runs = fmt.Sprintf("%d to %d runs", least, greatest)
	}
	if c.Scenario != "" {
		c.RestsOn = append(c.RestsOn, "the scenario "+c.Scenario)
	}
	c.RestsOn = append(c.RestsOn, fmt.Sprintf("%s of each design, with seeds that no two share, of up to %s operations each; all designs are offered "+
		"the same kind of load, and copies, retries and what a query scans count for none of them", runs, document.Count(events)))
	if c.Figures != "" {
		on := c.Figures
		if c.Figures == "modelled" {
			on += ", profile " + c.Profile
		}
		c.RestsOn = append(c.RestsOn, "rates, times and shares: "+on+"; entities counted, transactions billed and bytes: derived by Azure's documented rules")
	}
	var divided []string
	for _, f := range r.figures {
		divided = append(divided, fmt.Sprintf("%s %s %%", f.words, document.Decimals(100*f.part, 0)))
	}
	c.RestsOn = append(c.RestsOn, fmt.Sprintf("who holds more checks comes first; two designs that hold as many and do not differ "+
		"are told apart by chance in %s of such contests at most, whichever others take part (Welch's test of the pair, alpha divided over %s)",
		document.Share(c.Alpha), document.Enumerated(divided)))
	c.CannotTell = append(c.CannotTell, "Another rate or mix of operations may have another winner.")
	if c.Winner == nil && len(ran) > 1 {
		c.CannotTell = append(c.CannotTell, "That no difference is shown does not say that there is none: what would have been found is told above.")
	}
}
