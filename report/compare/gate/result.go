package gate

import (
	"fmt"

	"loadgen/report/compare"
	"loadgen/report/export"
)

const (
	codeOk           = 0
	codeCheck        = 10
	codeRegression   = 11
	codeInconclusive = 12
	codeInvalid      = 13
)

func code(o compare.Outcome) int {
	switch o {
	case compare.Same, compare.Improvement:
		return codeOk
	case compare.Failed:
		return codeCheck
	case compare.Regression:
		return codeRegression
	case compare.Invalid:
		return codeInvalid
	default:
		return codeInconclusive
	}
}

// Result is the result of a gate for one scenario.
type Result struct {
	Scenario string
	Outcome  compare.Outcome
	// Virtual means that runs in virtual time were compared exactly, instead of pairs of live ones.
	Virtual bool
	// Reason is the outcome in one sentence, Against the baseline or build.
	Reason, Against string
	// Difference is that of runs in virtual time, Judgement that of paired runs; nil if not compared.
	Difference *compare.Difference
	Judgement  *compare.Judgement
	// Trials are the judged pairs, for other tools; nil if not kept.
	Trials []compare.Trial
	// Notes are warnings and advice.
	Notes []string
	// Repeat is the command that repeats the run.
	Repeat string
}

// Differs returns the result of an exact comparison in virtual time.
func Differs(scenario, against string, d compare.Difference) Result {
	r := Result{Scenario: scenario, Against: against, Virtual: true, Difference: &d,
		Reason: "all values are equal", Repeat: "loadgen simulate " + scenario}
	if !d.Same() {
		r.Outcome = compare.Regression
		r.Reason = fmt.Sprintf("%d values differ", d.Total)
		if d.Total == 1 {
			r.Reason = "one value differs"
		}
		r.Notes = []string{fmt.Sprintf("to accept it: loadgen gate %s --accept \"why\"", scenario)}
	}
	return r
}

// Judged returns the result of paired live runs.
func Judged(scenario, against string, j compare.Judgement) Result {
	r := Result{Scenario: scenario, Against: against, Judgement: &j, Repeat: "loadgen run " + scenario}
	switch r.Outcome = j.Verdict; j.Verdict {
	case compare.Regression:
		r.Reason = "significantly worse"
	case compare.Improvement:
		r.Reason = "significantly better"
	case compare.NoDifference:
		r.Outcome, r.Reason = compare.Same, "no significant difference"
	default:
		r.Reason = "too few pairs of runs for a test"
	}
	return r
}

// Code returns the exit code of several results: the first of 13, 10, 11 and 12 that one of them
// has, else 0.
func Code(list []Result) int { return code(worst(list)) }

// worst returns the outcome that determines the exit code.
func worst(list []Result) compare.Outcome {
	found := compare.Same
	for i := range list {
		found = max(found, list[i].Outcome)
	}
	return found
}

// sentence returns the reason of a result, and what it was compared with.
func (r *Result) sentence() string {
	if r.Against == "" {
		return export.Plain(r.Reason)
	}
	return export.Plain(r.Reason) + ", against " + export.Plain(r.Against)
}

func (r *Result) kind() string {
	if r.Virtual {
		return "virtual"
	}
	return "live"
}

// lines returns the details of a result, each on one line.
func (r *Result) lines() []string {
	var lines []string
	if r.Difference != nil {
		lines = append(lines, r.Difference.Lines(maxDiffering, "phases")...)
	}
	if r.Judgement != nil {
		for i := range r.Judgement.Findings {
			lines = append(lines, r.Judgement.Findings[i].Sentence())
		}
	}
	lines = append(lines, r.Notes...)
	for i := range lines {
		lines[i] = export.Plain(lines[i])
	}
	return lines
}

// maxDiffering is the maximum number of listed differences.
const maxDiffering = 40
