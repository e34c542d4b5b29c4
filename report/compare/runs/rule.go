package runs

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
	"loadgen/report/document"
	"loadgen/results"
)

// rule sets the verdict.
func (c *Comparison) rule(a, b *Side) error {
	if c.Exact != nil && c.Exact.Same == c.Exact.Pairs {
		c.Outcome, c.Says = compare.Identical, []string{"All values are equal."}
		if c.Exact.Pairs > 1 {
			c.Says[0] = fmt.Sprintf("All values of %d pairs of runs are equal.", c.Exact.Pairs)
		}
		return nil
	}
	if why := c.obstacle(a, b); why != nil {
		c.Outcome, c.Says = compare.Inconclusive, why
		if c.Exact != nil {
			c.Outcome = compare.Different
		}
		return nil
	}
	// Figures of all operations that every run has decide; with few pairs only the first.
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
		c.Outcome, c.Says = compare.Inconclusive, []string{"Every figure is missing in at least one run."}
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

// obstacle returns why the runs cannot be tested, in one or two sentences, or nil.
func (c *Comparison) obstacle(a, b *Side) []string {
	const advice = "Compare 10 pairs of alternating runs, at least 8."
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
		if text := func(one *run) string { return one.manifest.Scenario.Text }; !slices.Equal(a.collect(text), b.collect(text)) {
			says = append(says, "Their scenarios or seeds differ.")
		}
		return says
	case len(a.runs) == 1 && len(b.runs) == 1:
		return []string{c.overlap(), advice}
	case c.Pairs == 0:
		return []string{fmt.Sprintf("A has %s, B has %s; a test needs pairs of runs.",
			document.Counted(len(a.runs), "run", "runs"), document.Counted(len(b.runs), "run", "runs")), advice}
	case c.Pairs < compare.FewestPairsOfOne:
		return []string{fmt.Sprintf("%s of runs are too few for a test.", document.Counted(c.Pairs, "pair", "pairs")), advice}
	case a.repeats() || b.repeats():
		return []string{"Runs in virtual time with one seed are copies; use different seeds."}
	case unsound > 0:
		return []string{fmt.Sprintf("%s not valid; a test needs valid runs.", document.Counted(unsound, "run is", "runs are"))}
	case orderOf(a, b) == separate:
		return []string{"The runs do not alternate: a difference may be drift.", advice}
	}
	return nil
}

// overlap describes the within-run bands of single runs.
func (c *Comparison) overlap() string {
	disjoint, sound := 0, 0
	for i := range c.Bands {
		if c.Bands[i].Doubt == "" {
			sound++
		}
		if c.Bands[i].Disjoint {
			disjoint++
		}
	}
	switch {
	case sound == 0:
		return "One run per side is no evidence of a difference."
	case disjoint == 0:
		return "Within-run bands overlap: no evidence of a difference."
	}
	return fmt.Sprintf("%d of %d within-run bands do not overlap; single runs are no evidence.", disjoint, sound)
}

func (c *Comparison) judged(j compare.Judgement) {
	over := fmt.Sprintf("over %d pairs of runs", c.Pairs)
	worse, better := moved(j.Findings, compare.Regression), moved(j.Findings, compare.Improvement)
	switch {
	case worse != "" && better != "":
		c.Outcome, c.Says = compare.Regression, []string{fmt.Sprintf("B is worse than A %s: %s.", over, worse), fmt.Sprintf("It is also better: %s.", better)}
	case worse != "":
		c.Outcome, c.Says = compare.Regression, []string{fmt.Sprintf("B is worse than A %s: %s.", over, worse)}
	case better != "":
		c.Outcome, c.Says = compare.Improvement, []string{fmt.Sprintf("B is better than A %s: %s.", over, better)}
	case j.Verdict == compare.Inconclusive:
		c.Outcome, c.Says = compare.Inconclusive, []string{"Too few pairs of runs for a test."}
	default:
		c.Outcome = compare.NoDifference
		c.Says = []string{fmt.Sprintf("No difference is shown %s.", over), "It may still exist, within the intervals."}
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

// Exact has the differences of runs of one scenario in virtual time, which normally repeat exactly.
type Exact struct {
	// Pairs is the number of compared pairs, Same of those that repeat.
	Pairs int `json:"pairs"`
	Same  int `json:"same"`
	// A and B are the first pair that does not repeat, with its Difference; empty if all do.
	A          string             `json:"a"`
	B          string             `json:"b"`
	Difference compare.Difference `json:"difference"`
}

// exactly compares pairs of runs in virtual time. It returns nil if the sides have different
// lengths, or a run is in real time, truncated, or of another scenario than its pair.
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
