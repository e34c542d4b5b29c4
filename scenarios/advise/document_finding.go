package advise

import (
	"slices"
	"strings"

	"loadgen/report/document"
)

// tone is what a verdict amounts to.
func (v Verdict) tone() document.Tone {
	return map[Verdict]document.Tone{Error: document.Bad, Warning: document.Doubtful, CannotTell: document.Doubtful, Good: document.Good}[v]
}

// asking are the verdicts that ask for a change, the gravest first.
func asking() []Verdict { return []Verdict{Error, Warning, Note} }

// named returns the points that came to a verdict.
func named(list []Finding, v Verdict) (ids []string) {
	for _, f := range list {
		if f.Verdict == v {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// summary says how many findings there are to look at, and which are errors.
func summary(list []Finding) string {
	var parts []string
	for _, v := range asking() {
		part := document.Counted(len(named(list, v)), string(v))
		if errors := named(list, v); v == Error && len(errors) > 0 {
			part += " (" + strings.Join(errors, ", ") + ")"
		}
		parts = append(parts, part)
	}
	return "Findings: " + strings.Join(parts, ", ") + "."
}

// firstChange is what to do about a load that is not held, by the gravest of the points that
// are about it; empty where none asks for anything.
func firstChange(list []Finding) string {
	about := []string{"partition-target", "account-target", "insert-order", "cold-start", "skew", "burst", "scans", "density", "bandwidth"}
	for _, v := range asking() {
		for _, f := range list {
			if f.Verdict == v && f.Change != "" && slices.Contains(about, f.ID) {
				return f.Change
			}
		}
	}
	return ""
}

// findingsTable shows the findings that ask for something first; what does not apply
// goes by its name alone.
func findingsTable(list []Finding) document.Table {
	t := document.NewTable("findings", "Findings by point of the documented performance checklist", "verdict|words", "point|words", "finding|words")
	for _, v := range []Verdict{Error, Warning, Note, CannotTell, Good} {
		for _, f := range list {
			if f.Verdict != v {
				continue
			}
			text := f.Evidence
			if f.Change != "" {
				text += " Change: " + f.Change
			}
			t.Add(v.tone(), v, f.ID, text)
		}
	}
	if apart := named(list, NotApplicable); len(apart) > 0 {
		slices.Sort(apart)
		t.Notes = []string{"Does not apply: " + strings.Join(apart, ", ") + "."}
	}
	return t
}
