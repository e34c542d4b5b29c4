package history

import (
	"fmt"
	"slices"
	"strings"

	"loadgen/report/compare"
)

// Outcome returns the outcome of all series.
func (s *Scenario) Outcome() compare.Outcome {
	nights := 0
	for i := range s.Series {
		for _, t := range s.Series[i].Trends {
			if len(t.Steps) > 0 {
				return compare.Stepped
			}
		}
		nights = max(nights, len(s.Series[i].Nights))
	}
	switch {
	case nights < 2:
		return compare.Inconclusive
	case nights < minNights:
		return compare.TooFew
	default:
		return compare.NoStep
	}
}

// Outcome returns the maximum outcome of the scenarios.
func (d *Document) Outcome() compare.Outcome {
	greatest := compare.Inconclusive
	for i := range d.Scenarios {
		greatest = max(greatest, d.Scenarios[i].Outcome())
	}
	return greatest
}

// Sentence describes the outcome.
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
		// The latest change of each metric.
		var metrics, words []string
		for i := range slices.Backward(s.Series) {
			for _, t := range s.Series[i].Trends {
				if name := t.Metric.Name; len(t.Steps) > 0 && !slices.Contains(metrics, name) {
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
		return fmt.Sprintf("%s: no step in %s; finding one takes %d", s.Name, among, minNights)
	}
	switch {
	case s.Runs == 0 && s.Left.ClientLimited > 0:
		return s.Name + ": no history: no run is valid and sent in time"
	case s.Runs == 0:
		return s.Name + ": no history: no run is valid"
	case s.Runs == 1:
		return s.Name + ": no history: a single run; expected another night"
	case len(s.Series) == 1:
		return fmt.Sprintf("%s: no history: %d runs of one night; expected another night", s.Name, s.Runs)
	default:
		return fmt.Sprintf("%s: no history: every night has other conditions", s.Name)
	}
}

// leftOut lists the numbers of omitted runs.
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
