package report

import (
	"slices"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// inSummary returns the pointer of a place in the summary, empty if run.json has no summary.
func (a *author) inSummary(parts ...any) document.Pointer {
	if a.Record.Summary == nil {
		return ""
	}
	return document.PointerTo("summary").Below(parts...)
}

// placeOf returns where run.json has the phase of a step.
func (a *author) placeOf(step figure.Step) document.Pointer {
	for p := range a.Phases {
		if &a.Phases[p] == step.Phase {
			return document.PointerTo("phases", p)
		}
	}
	return ""
}

// summaryOf returns the summary of a step and where run.json has it, nil and empty if there is none.
func (a *author) summaryOf(step figure.Step) (*results.PhaseSummary, document.Pointer) {
	for i, reported := range figure.Reported(a.Record) {
		if reported.Phase == step.Phase && i < len(a.Summary.Phases) && a.Summary.Phases[i].Name == step.Phase.Name {
			return &a.Summary.Phases[i], a.inSummary("phases", i)
		}
	}
	return nil, ""
}

// total is the count of a kind of operation over phases. Run.json has it if a single phase has any.
func (a *author) total(name string, of *results.KindStats, member string, count func(*results.KindStats) int64) document.Sourced {
	sum := document.Sourced{Value: count(of)}
	named := func(kind results.Kind) bool { return kind.Name == name }
	kind := slices.IndexFunc(a.Manifest.Operations, named)
	if kind < 0 || slices.ContainsFunc(a.Manifest.Operations[kind+1:], named) {
		return sum
	}
	for p := range a.Phases {
		some := kind < len(a.Phases[p].Kinds) && count(&a.Phases[p].Kinds[kind]) != 0
		if some && sum.At != "" {
			return document.Sourced{Value: sum.Value}
		}
		if some {
			sum.At = document.PointerTo("phases", p, "kinds", kind, member)
		}
	}
	return sum
}
