package history

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
)

// Outcome returns what the series come to.
func (s *Scenario) Outcome() compare.Outcome {
	most := 0
	for i := range s.Series {
		for _, t := range s.Series[i].Trends {
			if len(t.Steps) > 0 {
				return compare.Stepped
			}
		}
		most = max(most, len(s.Series[i].Nights))
	}
	switch {
	case most < 2:
		return compare.Inconclusive
	case most < FewestNights:
		return compare.TooFew
	default:
		return compare.NoStep
	}
}

// Outcome returns the greatest outcome of any scenario.
func (d *Document) Outcome() compare.Outcome {
	greatest := compare.Inconclusive
	for i := range d.Scenarios {
		greatest = max(greatest, d.Scenarios[i].Outcome())
	}
	return greatest
}

// Sentence says what the history comes to.
func (s *Scenario) Sentence() string {
	nights := 0
	for i := range s.Series {
		nights += len(s.Series[i].Nights)
	}
	among := nightsIn(nights)
	if len(s.Series) > 1 {
		among += fmt.Sprintf(" of %d series", len(s.Series))
	}
	switch s.Outcome() {
	case compare.Stepped:
		// Each metric that steps with its latest change.
		var metrics, words []string
		for i := range slices.Backward(s.Series) {
			for _, t := range s.Series[i].Trends {
				if name := t.Metric.String(); len(t.Steps) > 0 && !slices.Contains(metrics, name) {
					metrics = append(metrics, name)
					last := t.Steps[len(t.Steps)-1]
					words = append(words, fmt.Sprintf("%s steps on %s (%s)", name, last.Night.Format("2006-01-02"), changed(last.Change)))
				}
			}
		}
		return fmt.Sprintf("%s: %s in %s", s.Name, strings.Join(words, ", "), among)
	case compare.NoStep:
		return fmt.Sprintf("%s: no step in %s", s.Name, among)
	case compare.TooFew:
		return fmt.Sprintf("%s: no step in %s, too few to show one: that takes %d", s.Name, among, FewestNights)
	}
	switch {
	case s.Runs == 0 && s.Left.ClientLimited > 0:
		return s.Name + ": no history: none of its runs is valid and was sent in time"
	case s.Runs == 0:
		return s.Name + ": no history: none of its runs is valid"
	case s.Runs == 1:
		return s.Name + ": no history: a single run has nothing to be compared with; expected one of another night at least"
	case len(s.Series) == 1:
		return fmt.Sprintf("%s: no history: its %d runs are of one night; expected another at least", s.Name, s.Runs)
	default:
		return fmt.Sprintf("%s: no history: no two of its nights are of the same conditions", s.Name)
	}
}

// leftOut says which runs were left out, empty where none were.
func (s *Scenario) leftOut() string {
	var words []string
	for _, part := range []struct {
		n    int
		what string
	}{{s.Left.Partial, "partial"}, {s.Left.ClientLimited, "client-limited (their rates and response times)"}, {s.Left.Invalid, "invalid"}, {s.Left.Virtual, "virtual"}} {
		if part.n > 0 {
			words = append(words, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	return strings.Join(words, ", ")
}
