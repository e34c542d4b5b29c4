package runs

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/results"
)

func (c *Comparison) rule(a, b *Side) error {
	if c.Exact != nil && c.Exact.Same == c.Exact.Pairs {
		c.Outcome, c.Says = compare.Identical, []string{"They repeat to the last count."}
		if c.Exact.Pairs > 1 {
			c.Says[0] = fmt.Sprintf("All %d pairs of runs repeat to the last count.", c.Exact.Pairs)
		}
		return nil
	}
	if why := c.untold(a, b); why != nil {
		c.Outcome, c.Says = compare.Inconclusive, why
		if c.Exact != nil {
			c.Outcome = compare.Different
		}
		return nil
	}
	// The verdict rests on the whole, as far as every run tells it, and with few pairs on the first
	// figure alone.
	var trials []compare.Trial
	for _, name := range []string{responseP99, served, responseP50} {
		for _, m := range measures() {
			if m.name != name {
				continue
			}
			if pairs := paired(a.values(key{}, m), b.values(key{}, m)); len(pairs) > 0 {
				trials = append(trials, compare.Trial{Metric: m.metric(), Pairs: pairs})
			}
		}
	}
	if c.Pairs < compare.FewestPairs && len(trials) > 1 {
		trials = trials[:1]
	}
	if len(trials) == 0 {
		c.Outcome, c.Says = compare.Inconclusive, []string{"No figure of the whole is told by every run, so that there is nothing to judge."}
		return nil
	}
	judged, err := compare.Gate{}.Judge(trials)
	if err != nil {
		return err
	}
	c.Decides = judged.Findings
	c.judged(judged)
	return nil
}

// untold returns in a sentence or two why the runs cannot be told apart by a test; nil
// where they can.
func (c *Comparison) untold(a, b *Side) []string {
	const take = "Pairs of runs taken in turn would tell: 10 of them, at least 8."
	unsound := 0
	for _, one := range slices.Concat(a.runs, b.runs) {
		if one.validity != results.Valid {
			unsound++
		}
	}
	switch {
	case c.Exact != nil && c.Exact.Pairs < compare.FewestPairsOfOne:
		which := ""
		if c.Exact.Pairs > 1 {
			which = fmt.Sprintf(" in %d of %d pairs, first", c.Exact.Pairs-c.Exact.Same, c.Exact.Pairs)
		}
		says := []string{fmt.Sprintf("The runs are in virtual time and do not repeat:%s %s.", which, document.Counted(c.Exact.Difference.Total, "value differs", "values differ"))}
		if text := func(one *run) string { return one.manifest.Scenario.Text }; !slices.Equal(a.each(text), b.each(text)) {
			says = append(says, "They are not of one scenario and seed, so that they need not.")
		}
		return says
	case len(a.runs) == 1 && len(b.runs) == 1:
		return []string{c.overlap(), take}
	case c.Pairs == 0:
		return []string{fmt.Sprintf("A has %s and B %s, and only runs in pairs can be told apart.",
			document.Counted(len(a.runs), "run", "runs"), document.Counted(len(b.runs), "run", "runs")), take}
	case c.Pairs < compare.FewestPairsOfOne:
		return []string{fmt.Sprintf("%s of runs are too few to tell a difference from chance.", document.Counted(c.Pairs, "pair", "pairs")), take}
	case a.repeats() || b.repeats():
		return []string{"Runs in virtual time with one seed repeat each other, and count as one: expected a seed of its own for each."}
	case unsound > 0:
		return []string{fmt.Sprintf("%s not valid, and only valid runs can be told apart.", document.Counted(unsound, "run is", "runs are"))}
	case strings.HasPrefix(outOfTurn(a, b), "the runs were not"):
		return []string{"The runs were not taken in turn, so that a drift of the machine cannot be told from a difference.", take}
	}
	return nil
}

// overlap says of single runs what their own bands say, and that it is nothing.
func (c *Comparison) overlap() string {
	apart, sound := 0, 0
	for i := range c.Bands {
		if c.Bands[i].Doubt == "" {
			sound++
		}
		if c.Bands[i].Apart {
			apart++
		}
	}
	switch {
	case sound == 0:
		return "One run a side proves nothing: the unit is the run."
	case apart == 0:
		return "The within-run bands overlap, and one run a side proves nothing: the unit is the run."
	}
	return fmt.Sprintf("Within-run bands do not overlap, %d of %d, which proves nothing: the unit is the run.", apart, sound)
}

func (c *Comparison) judged(j compare.Judgement) {
	over := fmt.Sprintf("over %d pairs of runs", c.Pairs)
	worse, better := moved(j.Findings, compare.Regression), moved(j.Findings, compare.Improvement)
	switch {
	case worse != "" && better != "":
		c.Outcome, c.Says = compare.Regression, []string{fmt.Sprintf("B is worse than A %s: %s.", over, worse), fmt.Sprintf("It is better, too: %s.", better)}
	case worse != "":
		c.Outcome, c.Says = compare.Regression, []string{fmt.Sprintf("B is worse than A %s: %s.", over, worse)}
	case better != "":
		c.Outcome, c.Says = compare.Improvement, []string{fmt.Sprintf("B is better than A %s: %s.", over, better)}
	case j.Verdict == compare.Inconclusive:
		c.Outcome, c.Says = compare.Inconclusive, []string{"Too few pairs of runs to tell a difference from chance."}
	default:
		c.Outcome = compare.NoDifference
		c.Says = []string{fmt.Sprintf("No difference is shown %s.", over), "That there is none is not shown either: the intervals say how great it may be."}
	}
}

func moved(findings []compare.Finding, v compare.Outcome) string {
	var words []string
	for i := range findings {
		if f := &findings[i]; f.Verdict == v {
			words = append(words, f.Metric+" "+document.Change(f.Change))
		}
	}
	return strings.Join(words, ", ")
}

// Exact is what differs of runs in virtual time of one scenario, which repeat exactly
// where nothing has changed.
type Exact struct {
	// Pairs of runs were held against each other in their order, and Same of them repeat.
	Pairs int `json:"pairs"`
	Same  int `json:"same"`
	// A and B are the first two runs that do not, Difference in what; empty where all do.
	A          string             `json:"a"`
	B          string             `json:"b"`
	Difference compare.Difference `json:"difference"`
}

// exactly compares runs in virtual time, as many on either side, pair by pair; nil where
// any is in real time, not whole, or of a scenario of another name.
func exactly(a, b *Side) (*Exact, error) {
	if len(a.runs) != len(b.runs) {
		return nil, nil
	}
	for i := range a.runs {
		was, is := a.runs[i], b.runs[i]
		if was.tree == nil || is.tree == nil || was.manifest.Scenario.Name != is.manifest.Scenario.Name {
			return nil, nil
		}
	}
	exact := &Exact{Pairs: len(a.runs), Difference: compare.Difference{Entries: []compare.Entry{}}}
	for i := range a.runs {
		difference, err := compare.Diff(a.runs[i].tree, b.runs[i].tree)
		if err != nil {
			return nil, err
		}
		switch {
		case difference.Same():
			exact.Same++
		case exact.Difference.Total == 0:
			exact.A, exact.B, exact.Difference = a.runs[i].name, b.runs[i].name, difference
		}
	}
	return exact, nil
}
