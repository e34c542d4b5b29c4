package doctor

import (
	"cmp"
	"fmt"

	"loadgen/report/document"
	"loadgen/results"
)

// mostMeasured is how much of what was measured a line of the screen shows, in characters.
const mostMeasured = 60

// Document says what a diagnosis came to: what this machine can offer and a line for each
// check on one screen, then what was wanted and what follows from it.
func (d *Diagnosis) Document() *document.Document {
	var screen document.Facts
	whole := document.NewTable("checks", "Checks in order", "verdict|words", "check|words", "measured, and wanted|words")
	for _, one := range d.Checks {
		measured := one.Measured
		if measured == "" {
			measured = one.Note
		}
		sign := one.tone().Sign()
		if one.Verdict == Warn {
			sign = "!"
		}
		screen.Lines = append(screen.Lines, fmt.Sprintf("%s %s: %s", sign, one.Name, document.Cut(measured, mostMeasured)))
		whole.Add(one.tone(), one.Verdict, one.Name, one.whole())
	}
	state := results.Holds
	switch {
	case d.Failed > 0:
		state = results.DoesNotHold
	case d.Passed+d.Warned < len(d.Checks):
		state = results.CannotTell
	}
	a := document.Claimed(state, ": "+d.Verdict, "", "", "")
	for _, one := range d.Checks {
		if state == results.Holds && one.offers > 0 {
			a = document.Claimed(state, ": this machine can offer", document.Count(one.offers), "attempts/s", "")
			a.Beside, a.Says = d.Verdict, []string{one.Note}
		}
		if one.Verdict == Fail {
			a.Says = append(a.Says, one.Name+": "+one.whole())
			break
		}
	}
	doc := &document.Document{Title: "doctor", Subtitle: "can this machine measure reliably?", Answer: a, Data: d}
	doc.Show(screen)
	doc.Add("checks", "Checks", whole)
	return doc
}

// tone is what a verdict amounts to.
func (f Finding) tone() document.Tone {
	return cmp.Or(document.Good.If(f.Verdict == Pass), document.Bad.If(f.Verdict == Fail), document.Doubtful)
}

// whole is what was measured, what was wanted, and what follows.
func (f Finding) whole() string {
	wanted := ""
	if f.Measured != "" && f.Bound != "" {
		wanted = "wanted " + f.Bound
	}
	return document.Join("; ", f.Measured, wanted, f.Note)
}
