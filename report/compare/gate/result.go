package gate

import (
	"fmt"
	"unicode/utf8"

	"loadgen/report/compare"
	"loadgen/report/export"
)

// The exit codes of gates.
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

// Result is what a gate says of one scenario.
type Result struct {
	Scenario string
	Outcome  compare.Outcome
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

// Differs returns the result on a run in virtual time that was compared.
func Differs(scenario, against string, d compare.Difference) Result {
	r := Result{Scenario: scenario, Against: against, Virtual: true, Difference: &d,
		Reason: "it repeats to the last count", Repeat: "loadgen simulate " + scenario}
	if !d.Same() {
		r.Outcome = compare.Regression
		r.Reason = fmt.Sprintf("%d values differ", d.Total)
		if d.Total == 1 {
			r.Reason = "one value differs"
		}
		r.Notes = []string{fmt.Sprintf("where this is meant: loadgen gate %s --accept --reason \"why\"", scenario)}
	}
	return r
}

// Judged returns the result on paired live runs.
func Judged(scenario, against string, j compare.Judgement) Result {
	r := Result{Scenario: scenario, Against: against, Judgement: &j, Repeat: "loadgen run " + scenario}
	switch r.Outcome = j.Verdict; j.Verdict {
	case compare.Regression:
		r.Reason = "it is slower, or serves less, than chance explains"
	case compare.Improvement:
		r.Reason = "it is better than chance explains"
	case compare.NoDifference:
		r.Outcome, r.Reason = compare.Same, "no difference was shown"
	default:
		r.Reason = "too few pairs of runs to tell a difference from chance"
	}
	return r
}

// Code returns the exit code of several results: of the codes 13, 10, 11 and 12 the
// first that one of them has, else 0.
func Code(list []Result) int { return code(gravest(list)) }

// gravest returns the outcome that the exit code goes by.
func gravest(list []Result) compare.Outcome {
	found := compare.Same
	for i := range list {
		found = max(found, list[i].Outcome)
	}
	return found
}

// cut returns a text of so many bytes at most, and says where it was cut off.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most -= len(cutOff); most > 0 && !utf8.RuneStart(text[most]); {
		most--
	}
	return text[:max(most, 0)] + cutOff
}

const cutOff = " …"

// sentence returns the reason of a result, and what was compared with.
func (r *Result) sentence() string {
	if r.Against == "" {
		return export.Plain(r.Reason)
	}
	return export.Plain(r.Reason) + ", against " + export.Plain(r.Against)
}

// kind says how the runs of a result were made.
func (r *Result) kind() string {
	if r.Virtual {
		return "virtual"
	}
	return "live"
}

// lines returns what stands below a result, each without an end of line.
func (r *Result) lines() []string {
	var lines []string
	if r.Difference != nil {
		lines = append(lines, r.Difference.Lines(mostLines, "phases")...)
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

// mostLines is how many values that differ are listed for people.
const mostLines = 40
