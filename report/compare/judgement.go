package compare

import (
	"fmt"

	"loadgen/report/document"
)

// Judgement is the result of a gate for all metrics.
type Judgement struct {
	Verdict  Outcome   `json:"verdict"`
	Findings []Finding `json:"metrics"`
}

// Finding is the result of a gate for one metric. Changes are parts of one: 0.1 is +10%
// from A to B, whichever way is better.
type Finding struct {
	Metric  string  `json:"metric"`
	Verdict Outcome `json:"verdict"`
	// A and B are the medians over the runs, in the metric's own unit.
	A float64 `json:"a"`
	B float64 `json:"b"`
	// Change is estimated from the pairs, not from the two medians.
	Change float64 `json:"change"`
	// Interval holds the changes that the test does not reject at its level, for this
	// metric alone; nil if the pairs are too few to reject any.
	Interval *[2]float64 `json:"interval"`
	// Level is the confidence level of the interval.
	Level float64 `json:"level"`
	// P is the share of sign patterns with at least as large a change, Adjusted the same
	// with Holm's correction, which decides.
	P        float64 `json:"p"`
	Adjusted float64 `json:"p_holm"`
	Pairs    int     `json:"pairs"`
	// Exact means that every pattern was tried.
	Exact bool `json:"exact"`

	// effect is the logarithm of the ratio B/A.
	effect, threshold float64
	// minPairs is the number of pairs needed, 0 if there are enough.
	minPairs int
}

// Sentence returns the finding as one sentence.
func (f *Finding) Sentence() string {
	if f.minPairs > 0 {
		return fmt.Sprintf("%s: inconclusive: %s, and fewer than %d cannot show a difference.",
			f.Metric, document.Counted(f.Pairs, "pair"), f.minPairs)
	}
	prose := fmt.Sprintf("%s: %s: %s", f.Metric, f.Verdict, document.Change(f.Change))
	if f.Interval != nil {
		prose += fmt.Sprintf(" (%s %% interval %s to %s)",
			document.Decimals(100*f.Level, 1), document.Change(f.Interval[0]), document.Change(f.Interval[1]))
	}
	prose += fmt.Sprintf(", p = %s over %s", document.Chance(f.Adjusted), document.Counted(f.Pairs, "pair"))
	if f.Verdict == NoDifference && f.Adjusted <= 1-f.Level {
		prose += fmt.Sprintf("; real, but less than the %s that matter", document.Change(f.threshold))
	}
	return prose + "."
}
