package doctor

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// check is one check of the doctor.
type check struct {
	name string
	// lasts describes a check that takes time.
	lasts string
	// needs are the checks that must pass first.
	needs []string
	// examine runs the check. Its finding is discarded if the context is done.
	examine func(ctx context.Context) Finding
}

// Finding is the result of a check.
type Finding struct {
	Name string `json:"name"`
	// Verdict is one of [Pass], [Warn], [Fail], [CannotTell] and [NotTried].
	Verdict string `json:"verdict"`
	// Measured and Bound are texts, empty if nothing was tried.
	Measured string `json:"measured"`
	Bound    string `json:"bound"`
	// Note is advice after a failure, or the consequence of a pass.
	Note string `json:"note"`

	// offers is the rate, in attempts per second, that the machine can send; 0 for other checks.
	offers int64
}

// The verdicts of a check.
const (
	Pass = "pass"
	// Warn marks what a run tolerates.
	Warn       = "warn"
	Fail       = "fail"
	CannotTell = "cannot tell"
	NotTried   = "not tried"
)

// rule is a finding for a condition.
type rule struct {
	when                    bool
	verdict, measured, note string
}

// judge returns the finding of the first rule whose condition holds; that of the last rule is true.
func judge(bound string, rules ...rule) Finding {
	first := rules[slices.IndexFunc(rules, func(r rule) bool { return r.when })]
	return Finding{Verdict: first.verdict, Measured: first.measured, Bound: bound, Note: first.note}
}

// judgeResult returns a pass, or a failure with advice if there is an error.
func judgeResult(err error, bound, measured, advice string) Finding {
	if err != nil {
		return Finding{Verdict: Fail, Measured: results.OneLine(err), Bound: bound, Note: advice}
	}
	return Finding{Verdict: Pass, Measured: measured, Bound: bound}
}

// measured returns the examination that takes and judges a measurement.
func measured[F interface{ finding() Finding }](measure func(context.Context) (F, error)) func(context.Context) Finding {
	return func(ctx context.Context) Finding {
		figures, err := measure(ctx)
		if err != nil {
			return judgeResult(err, "a measurement", "", "")
		}
		return figures.finding()
	}
}

// Diagnosis is the result of all checks.
type Diagnosis struct {
	// Checks are in the order in which they were made.
	Checks []Finding `json:"checks"`
	// The counts exclude checks that cannot tell or were not tried.
	Passed int `json:"passed"`
	Failed int `json:"failed"`
	// Unavailable reports that the service rejects the credential or does not answer.
	Unavailable bool `json:"-"`
	// Verdict is the one sentence that sums it up.
	Verdict string `json:"verdict"`
}

// diagnose runs the checks in order and writes to progress what takes time. It skips the rest once
// the context is done.
func diagnose(ctx context.Context, checks []check, progress io.Writer) *Diagnosis {
	d := &Diagnosis{Checks: []Finding{}}
	for _, one := range checks {
		passed := d.passed()
		missing := slices.IndexFunc(one.needs, func(name string) bool { return !slices.Contains(passed, name) })
		var found Finding
		switch {
		case missing >= 0:
			found = Finding{Verdict: NotTried, Note: "it needs " + one.needs[missing] + ", which did not pass"}
		case ctx.Err() == nil:
			if one.lasts != "" {
				fmt.Fprintf(progress, "%s: %s\n", one.name, one.lasts)
			}
			found = one.examine(ctx)
		}
		if ctx.Err() != nil {
			found = Finding{Verdict: NotTried, Note: "interrupted"}
		}
		found.Name = one.name
		if found.Verdict == Fail {
			fmt.Fprintf(progress, "%s failed: %s\n", one.name, found.text())
		}
		d.Checks = append(d.Checks, found)
	}
	d.Passed, d.Failed = len(d.names(Pass)), len(d.names(Fail))
	d.Verdict = d.sentence()
	return d
}

// passed returns the checks that others may need.
func (d *Diagnosis) passed() []string { return append(d.names(Pass), d.names(Warn)...) }

// names returns the checks with a verdict, in order.
func (d *Diagnosis) names(verdict string) []string {
	var names []string
	for _, one := range d.Checks {
		if one.Verdict == verdict {
			names = append(names, one.Name)
		}
	}
	return names
}

// sentence summarizes the checks.
func (d *Diagnosis) sentence() string {
	all, failed := len(d.Checks), d.names(Fail)
	text := fmt.Sprintf("%d of %d checks passed, none failed", d.Passed, all)
	switch {
	case len(failed) > 0:
		text = fmt.Sprintf("%d of %d checks failed: %s", len(failed), all, strings.Join(failed, ", "))
	case d.Passed == all:
		text = fmt.Sprintf("all %d checks passed", all)
	}
	for _, one := range [][2]string{{Warn, "warned"}, {CannotTell, "cannot tell"}, {NotTried, "not tried"}} {
		if names := d.names(one[0]); len(names) > 0 {
			text += "; " + one[1] + ": " + strings.Join(names, ", ")
		}
	}
	return text
}

// maxMeasured is the maximum length of a measurement on the screen.
const maxMeasured = 60

// Document returns the diagnosis: a line for each check, then bounds and notes.
func (d *Diagnosis) Document() *document.Document {
	var screen document.Facts
	whole := document.NewTable("checks", "Checks in order", "verdict|words", "check|words", "measured, and wanted|words")
	for _, one := range d.Checks {
		sign := one.tone().Sign()
		if one.Verdict == Warn {
			sign = "!"
		}
		screen.Lines = append(screen.Lines, fmt.Sprintf("%s %s: %s", sign, one.Name, document.Cut(cmp.Or(one.Measured, one.Note), maxMeasured)))
		whole.Add(one.tone(), one.Verdict, one.Name, one.text())
	}
	state := results.Holds
	switch {
	case d.Failed > 0:
		state = results.DoesNotHold
	case len(d.passed()) < len(d.Checks):
		state = results.CannotTell
	}
	a := document.Claimed(state, ": "+d.Verdict, "", "", "")
	for _, one := range d.Checks {
		if state == results.Holds && one.offers > 0 {
			a = document.Claimed(state, ": this machine can offer", document.Count(one.offers), "attempts/s", "")
			a.Beside, a.Says = d.Verdict, []string{one.Note}
		}
		if one.Verdict == Fail {
			a.Says = append(a.Says, one.Name+": "+one.text())
			break
		}
	}
	doc := &document.Document{Title: "doctor", Subtitle: "can this machine measure reliably?", Answer: a, Data: d}
	doc.Show(screen)
	doc.Add("checks", "Checks", whole)
	return doc
}

func (f Finding) tone() document.Tone {
	return cmp.Or(document.Good.If(f.Verdict == Pass), document.Bad.If(f.Verdict == Fail), document.Doubtful)
}

// text returns measurement, bound and note.
func (f Finding) text() string {
	wanted := ""
	if f.Measured != "" && f.Bound != "" {
		wanted = "wanted " + f.Bound
	}
	return document.Join("; ", f.Measured, wanted, f.Note)
}
