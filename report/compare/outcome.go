package compare

import (
	"fmt"

	"loadgen/results"
)

// Outcome is the result of a comparison. The greatest of several counts.
type Outcome uint8

// The outcomes. No difference shown is not a proof that there is none.
const (
	// Same: a gate passes, as nothing differs or no difference was shown.
	Same Outcome = iota
	// NoDifference: none was shown between pairs of runs. The interval is how large it may
	// still be.
	NoDifference
	// Improvement: it is significantly better.
	Improvement
	// Inconclusive: too few runs or nights, or they vary too much.
	Inconclusive
	// TooFew: no step, in too few nights to show one.
	TooFew
	// NoStep: no step was shown between nights.
	NoStep
	// Stepped: some metric steps from one night to the next.
	Stepped
	// NoBaseline: no baseline exists.
	NoBaseline
	// Identical and Different are of runs in virtual time, which repeat exactly.
	Identical
	Different
	// Regression: it is significantly worse, or a run that must repeat does not.
	Regression
	// Failed: a check of the scenario fails.
	Failed
	// Invalid: a run is not valid, or the generator was its limit.
	Invalid
)

// String returns the outcome in words.
func (o Outcome) String() string {
	words := [...]string{"no difference", "no difference shown", "improvement", "inconclusive", "too few nights", "no step", "step",
		"no baseline", "identical", "different", "regression", "check failed", "invalid"}
	if int(o) >= len(words) {
		return fmt.Sprintf("outcome %d", uint8(o))
	}
	return words[o]
}

// State returns the state of the outcome, and ok, which is nil if the state is cannot tell.
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
