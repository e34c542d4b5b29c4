package contest

import (
	"fmt"
	"strings"

	"loadgen/report/document"
)

// sentenceOf has a text follow another sentence; nothing where it is empty.
func sentenceOf(text string) string {
	if text == "" {
		return ""
	}
	return " " + sentence(text)
}

// bestOfNone names the best of designs none of which holds its checks, and by what it is
// ahead of the next.
func (c *Contest) bestOfNone() string {
	best := c.best()
	switch {
	case len(best) == 0:
		return ""
	case len(best) > 1:
		return "no difference is shown between the best of them, " + document.Enumerated(best[:min(len(best), mostNamed)])
	}
	next := c.next()
	if next == nil || next.Behind == "" {
		return "the best of them is " + best[0]
	}
	l := leadOf(&c.Ranking[0], next)
	return fmt.Sprintf("the best of them is %s, ahead %s (%s)", best[0], l.by(), l.beside)
}

// wouldChange says what would have to be otherwise for the best design to hold its checks:
// the rate, a query, or a limit.
func (c *Contest) wouldChange() string {
	first := &c.Ranking[0]
	var ways []string
	most := c.Ranking[0]
	for i := range c.Ranking {
		if one := &c.Ranking[i]; one.Sustained != nil && one.Sustained.Mean > most.Sustained.Mean {
			most = *one
		}
	}
	if first.Met != nil && first.Met.Mean < servesAll && most.Sustained != nil && first.Sustained != nil {
		ways = append(ways, fmt.Sprintf("a lower rate (%s/s is the most that is sustained, by %s)", document.Rate(most.Sustained.Mean), most.Design))
	}
	for i := range first.Reasons {
		if r := &first.Reasons[i]; r.Kind == Scans {
			ways = append(ways, fmt.Sprintf("another key for %s (it scans %s entities for %s)", r.Operation, document.Rate(r.Counted), document.Rate(r.Returned)))
		}
	}
	for i := range first.Expected {
		if e := &first.Expected[i]; len(ways) == 0 && e.fails() && e.Observed != "" {
			ways = append(ways, fmt.Sprintf("another limit (%s comes to %s)", e.Expr, e.Observed))
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return "to hold them it takes " + strings.Join(ways, ", or ")
}
