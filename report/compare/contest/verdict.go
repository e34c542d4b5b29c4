package contest

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/document"
)

func (c *Contest) judge(r *order, ran, idle, unable []*Arm) {
	switch {
	case len(ran) == 0 && len(unable) > 0 && len(idle) == 0:
		c.Verdict = "No design can serve what the scenario asks."
		return
	case len(ran) == 0:
		c.Verdict = "Nothing was run, so nothing is told."
		return
	case len(ran) == 1 && len(idle) == 0 && len(unable) > 0:
		c.Winner = new(ran[0].Design)
		c.Verdict = ran[0].Design + " wins: it is the only design that can serve every operation."
		return
	case len(ran) == 1:
		c.Verdict = "Only " + ran[0].Design + " was run, so nothing is told of the others."
		return
	}
	if winner := r.winner(); winner >= 0 {
		c.Winner = new(r.names[winner])
		c.Verdict = leadOf(&c.Ranking[0], c.next()).sentence(*c.Winner)
	} else {
		c.Verdict = r.tie(ran)
	}
	if len(idle) > 0 {
		c.Verdict += fmt.Sprintf(" Not run, and so not ranked: %s.", strings.Join(namesOf(idle), ", "))
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
	best := r.tiers[0]
	names := r.best()
	var text string
	if len(names) > mostNamed {
		text = fmt.Sprintf("No difference shown between the %d best designs.", len(names))
	} else {
		text = fmt.Sprintf("No difference shown between %s.", document.Enumerated(names))
	}
	fewest := len(ran[best[0]].Trials)
	for _, i := range best {
		fewest = min(fewest, len(ran[i].Trials))
	}
	if fewest < 2 {
		return text + " One run of a design shows none by itself: it takes two or more, better five."
	}
	if len(best) < len(ran) {
		text += fmt.Sprintf(" All of them are ahead of %s.", r.names[r.tiers[1][0]])
		if len(best) == 2 {
			text = strings.Replace(text, "All of them", "Both", 1)
		}
	}
	return text
}

// best names the designs of the first tier, in order.
func (r *order) best() []string {
	var names []string
	for _, i := range r.tiers[0] {
		names = append(names, r.names[i])
	}
	slices.Sort(names)
	return names
}

// mostNamed is how many designs a sentence names.
const mostNamed = 5

// survive says whether the other profile gives the same best designs.
func (c *Contest) survive(r *order, ran []*Arm, o Options) {
	if len(ran) < 2 || slices.ContainsFunc(ran, func(arm *Arm) bool { return len(arm.Others) == 0 }) {
		if o.Other != "" && len(ran) > 1 {
			c.SurvivesSays = fmt.Sprintf("Whether it survives the profile %s was not tried with all designs.", o.Other)
		}
		return
	}
	other := orderOf(ran, o, func(arm *Arm) []Trial { return arm.Others })
	survives := slices.Equal(r.best(), other.best())
	c.Survives = &survives
	under := "Under the other profile"
	if o.Other != "" {
		under = "Under the profile " + o.Other
	}
	wins := func(winner int) string {
		first := other.ranked(ran[winner], ran[winner].Others, winner, winner, o.Price)
		at := other.tiers[1][0]
		next := other.ranked(ran[at], ran[at].Others, at, winner, o.Price)
		return leadOf(&first, &next).sentence(first.Design)
	}
	low := strings.ToLower(under[:1]) + under[1:]
	switch winner := other.winner(); {
	case survives && winner >= 0:
		c.SurvivesSays = under + ", too, " + wins(winner)
	case survives:
		c.SurvivesSays = under + " no difference is shown between them, either."
	case winner >= 0:
		c.SurvivesSays = "It does not survive: " + low + " " + wins(winner)
	default:
		c.SurvivesSays = fmt.Sprintf("It does not survive: %s no difference is shown between %s.", low, document.Enumerated(other.best()))
	}
}

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
	c.RestsOn = append(c.RestsOn, fmt.Sprintf("designs that do not differ are told apart by chance in %s of such contests at most "+
		"(Welch's test, Holm over all pairs, alpha divided over %s)", document.Share(c.Alpha), r.divided()))
	c.CannotTell = append(c.CannotTell, "Another rate or mix of operations may have another winner.")
	if c.Winner == nil && len(ran) > 1 {
		c.CannotTell = append(c.CannotTell, "That no difference is shown does not say that there is none: what would have been found is told above.")
	}
}

// divided lists the figures with their share of alpha.
func (r *order) divided() string {
	var list []string
	for _, f := range r.figures {
		list = append(list, fmt.Sprintf("%s %s %%", f.words, document.Decimals(100*f.part, 0)))
	}
	return document.Enumerated(list)
}

func namesOf(arms []*Arm) []string {
	var names []string
	for _, arm := range arms {
		names = append(names, arm.Design)
	}
	return names
}
