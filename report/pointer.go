package report

import (
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// inSummary returns the pointer of a place in the summary, empty where run.json has
// none.
func (a *author) inSummary(parts ...any) document.Pointer {
	if a.record.Summary == nil {
		return ""
	}
	return document.Place("summary").Below(parts...)
}

// placeOf returns where run.json has the phase of a step.
func (a *author) placeOf(step figure.Step) document.Pointer {
	for p := range a.record.Phases {
		if &a.record.Phases[p] == step.Phase {
			return document.Place("phases", p)
		}
	}
	return ""
}

// summaryOf returns the summary of a step and where run.json has it, nil and empty where
// there is none.
func (a *author) summaryOf(step figure.Step) (*results.PhaseSummary, document.Pointer) {
	for i, reported := range figure.Reported(a.record) {
		if reported.Phase != step.Phase {
			continue
		}
		if i < len(a.summary.Phases) && a.summary.Phases[i].Name == step.Phase.Name {
			return &a.summary.Phases[i], a.inSummary("phases", i)
		}
	}
	return nil, ""
}

// soleSource returns where run.json has the count of a kind of operation over the whole
// run, which it does where one phase alone has any: then that is the sum.
func (a *author) soleSource(name, member string, count func(*results.KindStats) int64) document.Pointer {
	named := func(kind results.Kind) bool { return kind.Name == name }
	kind := slices.IndexFunc(a.record.Manifest.Operations, named)
	if kind < 0 || slices.ContainsFunc(a.record.Manifest.Operations[kind+1:], named) {
		return ""
	}
	at := -1
	for p := range a.record.Phases {
		some := kind < len(a.record.Phases[p].Kinds) && count(&a.record.Phases[p].Kinds[kind]) != 0
		if some && at >= 0 {
			return ""
		}
		if some {
			at = p
		}
	}
	if at < 0 {
		return ""
	}
	return document.Place("phases", at, "kinds", kind, member)
}
