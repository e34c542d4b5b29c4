package compare

import (
	"fmt"

	"loadgen/results"
)

// Outcome is what a comparison comes to. Of several the greatest counts.
type Outcome uint8

// The outcomes. That no difference was shown does not say that there is none.
const (
	// Same: a gate lets it pass, for nothing differs, or no difference was shown.
	Same Outcome = iota
	// NoDifference: none was shown between pairs of runs. The interval says how great it
	// may still be.
	NoDifference
	// Improvement: it is better, beyond doubt.
	Improvement
	// Inconclusive: too few runs or nights, or too unlike, to tell.
	Inconclusive
	// TooFew: no step, in fewer nights than it takes to show one.
	TooFew
	// NoStep: no step was shown between nights.
	NoStep
	// Stepped: some metric steps from one night to the next.
	Stepped
	// NoBaseline: there is nothing to compare with.
	NoBaseline
	// Identical and Different are of runs in virtual time, which repeat exactly.
	Identical
	Different
	// Regression: it is worse beyond doubt, or a run that must repeat does not.
	Regression
	// Failed: a check of the scenario fails.
	Failed
	// Invalid: a run is not valid, or the generator was its limit.
	Invalid
)

// String returns the outcome in words, as all reports have it.
func (o Outcome) String() string {
	words := [...]string{"no difference", "no difference shown", "improvement", "inconclusive", "too few nights", "no step", "step",
		"no baseline", "identical", "different", "regression", "check failed", "invalid"}
	if int(o) >= len(words) {
		return fmt.Sprintf("outcome %d", uint8(o))
	}
	return words[o]
}

// State returns the outcome as every verb tells what was asked, and whether it is so: nil
// where it cannot be told.
func (o Outcome) State() (state string, ok *bool) {
	switch o {
	case Same, NoDifference, Improvement, NoStep, Identical:
		return results.Holds, new(true)
	case Stepped, Different, Regression, Failed:
		return results.DoesNotHold, new(false)
	default:
		return results.CannotTell, nil
	}
}

// MarshalText returns the outcome in words.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }
