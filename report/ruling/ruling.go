package ruling

import (
	"fmt"

	"loadgen/report/compare"
)

// Outcome is what a gate found of one scenario.
type Outcome uint8

// The outcomes. Only the first two let a change pass.
const (
	// Same: nothing differs, or no difference was shown.
	Same Outcome = iota
	// Improved: it is better, beyond doubt.
	Improved
	// Inconclusive: too few runs, or too unlike, to tell.
	Inconclusive
	// NoBaseline: there is nothing to compare with.
	NoBaseline
	// Regressed: it is worse beyond doubt, or a run that must repeat does not.
	Regressed
	// Failed: a claim of the scenario is not borne out.
	Failed
	// Invalid: a run is not valid, or the generator was its limit.
	Invalid
)

// String returns the outcome as reports have it.
func (o Outcome) String() string {
	switch o {
	case Same:
		return "no difference"
	case Improved:
		return "improvement"
	case Inconclusive:
		return "inconclusive"
	case NoBaseline:
		return "no baseline"
	case Regressed:
		return "regression"
	case Failed:
		return "expectation failed"
	case Invalid:
		return "invalid"
	default:
		return "unknown"
	}
}

// MarshalText returns the outcome as one text.
func (o Outcome) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// The exit codes of gates.
const (
	codeOk           = 0
	codeExpectation  = 10
	codeRegression   = 11
	codeInconclusive = 12
	codeInvalid      = 13
)

// code returns the exit code of one outcome.
func (o Outcome) code() int {
	switch o {
	case Same, Improved:
		return codeOk
	case Failed:
		return codeExpectation
	case Regressed:
		return codeRegression
	case Invalid:
		return codeInvalid
	default:
		return codeInconclusive
	}
}

// Ruling is what a gate says of one scenario.
type Ruling struct {
	Scenario string
	Outcome  Outcome
	// Virtual says that runs in virtual time were compared, which repeat exactly; else
	// live ones were, in pairs.
	Virtual bool
	// Reason is the outcome in one sentence, Against what was compared with.
	Reason, Against string
	// Difference is what differs of runs in virtual time, nil where none were compared.
	Difference *compare.Difference
	// Judgement is that of paired runs, nil where none were compared.
	Judgement *compare.Judgement
	// Trials are the pairs that it judged, for whoever wants to judge them by other means;
	// nil where they are not kept.
	Trials []compare.Trial
	// Notes are further sentences: warnings, and what to do.
	Notes []string
	// Repeat is the command that shows the run.
	Repeat string
}

// Differs returns the ruling on a run in virtual time that was compared.
func Differs(scenario, against string, d compare.Difference) Ruling {
	r := Ruling{Scenario: scenario, Against: against, Virtual: true, Difference: &d,
		Reason: "it repeats to the last count", Repeat: "loadgen simulate " + scenario}
	if !d.Same() {
		r.Outcome = Regressed
		r.Reason = fmt.Sprintf("%d values differ", d.Total)
		if d.Total == 1 {
			r.Reason = "one value differs"
		}
		r.Notes = []string{fmt.Sprintf("where this is meant: loadgen gate %s --accept --reason \"why\"", scenario)}
	}
	return r
}

// Judged returns the ruling on paired live runs.
func Judged(scenario, against string, j compare.Judgement) Ruling {
	r := Ruling{Scenario: scenario, Against: against, Judgement: &j, Repeat: "loadgen run " + scenario}
	switch j.Verdict {
	case compare.Regression:
		r.Outcome, r.Reason = Regressed, "it is slower, or serves less, than chance explains"
	case compare.Improvement:
		r.Outcome, r.Reason = Improved, "it is better than chance explains"
	case compare.NoDifference:
		r.Outcome, r.Reason = Same, "no difference was shown"
	default:
		r.Outcome, r.Reason = Inconclusive, "too few pairs of runs to tell a difference from chance"
	}
	return r
}

// Code returns the exit code of several rulings: of the codes 13, 10, 11 and 12 the
// first that one of them has, else 0.
func Code(list []Ruling) int {
	found := make(map[int]bool)
	for i := range list {
		found[list[i].Outcome.code()] = true
	}
	for _, code := range []int{codeInvalid, codeExpectation, codeRegression, codeInconclusive} {
		if found[code] {
			return code
		}
	}
	return codeOk
}
