package compare

import (
	"fmt"

	"loadgen/report/export"
)

const (
	codeOk           = 0
	codeCheck        = 10
	codeRegression   = 11
	codeInconclusive = 12
	codeInvalid      = 13
)

func code(o Outcome) int {
	switch o {
	case Same, NoDifference, Improvement, Identical:
		return codeOk
	case Failed:
		return codeCheck
	case Regression:
		return codeRegression
	case Invalid:
		return codeInvalid
	default:
		return codeInconclusive
	}
}

// Result is the result of a gate for one scenario.
type Result struct {
	Scenario string
	Outcome  Outcome
	// Virtual means that runs in virtual time were compared exactly, instead of live ones by metrics.
	Virtual bool
	// Reason is the outcome in one sentence, Against the baseline or build.
	Reason, Against string
	// Difference is that of runs in virtual time, nil if none were compared; Findings are
	// those of metrics.
	Difference *Difference
	Findings   []Finding
	// Notes are warnings and advice.
	Notes []string
	// Repeat is the command that repeats the run.
	Repeat string
}

// Differs returns the result of an exact comparison in virtual time.
func Differs(scenario, against string, d Difference) Result {
	r := Result{Scenario: scenario, Against: against, Virtual: true, Difference: &d,
		Reason: "all values are equal", Repeat: "loadgen simulate " + scenario}
	if !d.Same() {
		r.Outcome = Regression
		r.Reason = fmt.Sprintf("%d values differ", d.Total)
		if d.Total == 1 {
			r.Reason = "one value differs"
		}
		r.Notes = []string{fmt.Sprintf("to accept it: loadgen gate %s --accept \"why\"", scenario)}
	}
	return r
}

// Judged returns the result of live runs.
func Judged(scenario, against string, j Judgement) Result {
	r := Result{Scenario: scenario, Against: against, Findings: j.Findings, Outcome: j.Verdict}
	switch j.Verdict {
	case Regression:
		r.Reason = "significantly worse: " + moved(j.Findings, Regression)
	case Improvement:
		r.Reason = "significantly better: " + moved(j.Findings, Improvement)
	case NoDifference:
		r.Outcome, r.Reason = Same, "no significant difference"
	default:
		r.Reason = inconclusive(j.Findings)
	}
	return r
}

// inconclusive returns why no metric decides.
func inconclusive(findings []Finding) string {
	for i := range findings {
		switch f := &findings[i]; {
		case f.Verdict != Inconclusive || f.minRuns > 0:
		case *f.Adjusted <= Alpha:
			return f.Metric + " is worse, but the generator was slower, or days vary by as much"
		default:
			return f.Metric + " is worse, but runs vary by as much"
		}
	}
	return "too few runs for a test"
}

// ExitCode returns the exit code of several results: the first of 13, 10, 11 and 12 that one of them
// has, else 0.
func ExitCode(list []Result) int { return code(worst(list)) }

// worst returns the outcome that determines the exit code.
func worst(list []Result) Outcome {
	found := Same
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
	for i := range r.Findings {
		lines = append(lines, r.Findings[i].Sentence())
	}
	lines = append(lines, r.Notes...)
	for i := range lines {
		lines[i] = export.Plain(lines[i])
	}
	return lines
}
