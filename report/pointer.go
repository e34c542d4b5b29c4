package report

import (
	"slices"
	"strconv"
	"strings"

	"loadgen/results"
	"loadgen/results/figure"
)

// pointer returns the JSON pointer (RFC 6901) of a place in run.json. Names stand
// there as JSON has them, which has no place for bytes that are no text.
func pointer(parts ...any) string {
	var path strings.Builder
	for _, part := range parts {
		path.WriteByte('/')
		switch part := part.(type) {
		case int:
			path.WriteString(strconv.Itoa(part))
		case string:
			path.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(string([]rune(part))))
		}
	}
	return path.String()
}

// inSummary returns the pointer of a place in the summary, empty where run.json has
// none.
func (a *author) inSummary(parts ...any) string {
	if a.record.Summary == nil {
		return ""
	}
	return "/summary" + pointer(parts...)
}

// below returns the pointer of a place below another, empty where that is.
func below(path string, parts ...any) string {
	if path == "" {
		return ""
	}
	return path + pointer(parts...)
}

func (a *author) phaseOf(step figure.Step) int {
	for p := range a.record.Phases {
		if &a.record.Phases[p] == step.Phase {
			return p
		}
	}
	return -1
}

// summaryOf returns the summary of a step and where run.json has it, nil and empty where
// there is none.
func (a *author) summaryOf(step figure.Step) (*results.PhaseSummary, string) {
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
func (a *author) soleSource(name, member string, count func(*results.KindStats) int64) string {
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
	return pointer("phases", at, "kinds", kind, member)
}
