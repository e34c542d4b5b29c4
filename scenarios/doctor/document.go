package doctor

import (
	"cmp"
	"fmt"

	"loadgen/report/document"
	"loadgen/results"
)

// maxMeasured is the maximum length of a measurement on the screen.
const maxMeasured = 60

// Document returns the diagnosis: a line for each check, then bounds and notes.
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
		screen.Lines = append(screen.Lines, fmt.Sprintf("%s %s: %s", sign, one.Name, document.Cut(measured, maxMeasured)))
		whole.Add(one.tone(), one.Verdict, one.Name, one.text())
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
