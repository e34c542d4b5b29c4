package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// warnings returns the defects of single runs, then the differences between the sides.
func warnings(a, b *Set) []string {
	list := append(append([]string{}, a.faults()...), b.faults()...)
	if was, is := len(a.runs), len(b.runs); was != is {
		list = append(list, fmt.Sprintf("the number of runs differs: A has %d, B has %d", was, is))
	}
	if difference := firstDifference(a.text(), b.text()); difference != "" {
		list = append(list, "the scenario differs: A, then B: "+difference)
	}
	for i, f := range a.runs[0].facets() {
		value := func(one *run) string { return one.facets()[i].Value }
		was, is := valuesOf(a.runs, value), valuesOf(b.runs, value)
		alike := len(distinct(was)) == 1
		switch {
		case len(was) != len(is) && alike && len(distinct(is)) == 1 && was[0] == is[0]:
		case !slices.Equal(was, is):
			list = append(list, fmt.Sprintf("the %s differs: A has %s, B has %s", f.What, listed(was), listed(is)))
		case f.What != "seed" && !alike: // Each pair should have its own seed.
			list = append(list, fmt.Sprintf("the %s differs between runs of a side: %s", f.What, listed(was)))
		}
	}
	switch orderOf(a, b) {
	case separate:
		list = append(list, "the runs do not alternate: drift looks like a difference")
	case aFirst:
		list = append(list, "A is first in every pair: alternate A B, B A, A B, …")
	}
	return append(list, oneSided(a, b)...)
}

// text returns the scenario of the first run without its seed, which is a facet.
func (s *Set) text() string {
	lines := strings.Split(s.runs[0].manifest.Scenario.Text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "seed:") {
			lines[i] = "seed:"
		}
	}
	return strings.Join(lines, "\n")
}

// facets returns the conditions of a run except for its scenario, then its seed and its build.
func (r *run) facets() []Condition {
	tool := r.manifest.Tool
	return append(slices.Clone(r.conditions[1:]),
		Condition{"seed", strconv.FormatUint(r.manifest.Seed, 10)},
		Condition{"tool version", strings.TrimSpace(tool.Version + " " + tool.Commit)},
		Condition{"Go version", tool.Go})
}

// maxFaults is the maximum number of truncated runs of a side that are listed, and of invalid or late ones.
const maxFaults = 10

// faults returns the defects of the runs of a side.
func (s *Set) faults() []string {
	var cut, unsound []string
	for _, one := range s.runs {
		if one.cut != "" {
			cut = append(cut, fmt.Sprintf("%s %s", shorten(one.name), one.cut))
		}
		switch {
		case one.validity != results.Valid:
			text := fmt.Sprintf("%s is %s", shorten(one.name), shorten(one.validity))
			if len(one.reasons) > 0 {
				text += ": " + shorten(one.reasons[0])
			}
			unsound = append(unsound, text)
		case len(one.late) > 0:
			unsound = append(unsound, fmt.Sprintf("%s is client-limited: %s", shorten(one.name), shorten(one.late[0])))
		}
	}
	var list []string
	for _, faults := range [][]string{cut, unsound} {
		list = append(list, faults[:min(len(faults), maxFaults)]...)
		if more := len(faults) - maxFaults; more > 0 {
			list = append(list, fmt.Sprintf("and %s of %s", document.Counted(more, "more run", "more runs"), shorten(s.Name)))
		}
	}
	return list
}

// maxListed is the maximum number of listed values.
const maxListed = 3

// listed returns the distinct values.
func listed(values []string) string {
	values = distinct(values)
	var words []string
	for _, value := range values[:min(len(values), maxListed)] {
		if value == "" {
			value = "none"
		}
		words = append(words, shorten(value))
	}
	if more := len(values) - maxListed; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, "; ")
}

// distinct returns each value once, in order of first appearance.
func distinct(values []string) []string {
	var list []string
	for _, value := range values {
		if !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// order is the order of live runs.
type order int

const (
	// alternating runs, or those without an order: in virtual time, or not in pairs.
	alternating order = iota
	// aFirst means that A is first in every pair.
	aFirst
	// separate pairs overlap in time.
	separate
)

func orderOf(a, b *Set) order {
	pairs := len(a.runs)
	if pairs != len(b.runs) || pairs < 2 || a.runs[0].manifest.Time == "virtual" {
		return alternating
	}
	first := 0
	for i := range pairs {
		was, is := a.runs[i].manifest.Started, b.runs[i].manifest.Started
		if was.Before(is) {
			first++
		}
		if i+1 < pairs && (was.After(b.runs[i+1].manifest.Started) || is.After(a.runs[i+1].manifest.Started)) {
			return separate
		}
	}
	if first == pairs {
		return aFirst
	}
	return alternating
}

// oneSided returns the phases and operations of only one side.
func oneSided(a, b *Set) []string {
	var list []string
	for _, one := range []struct {
		letter        string
		side, without *Set
	}{{"A", a, b}, {"B", b, a}} {
		var phases []string
		for _, at := range one.side.sections {
			if at == (section{}) || slices.Contains(one.without.sections, at) {
				continue
			}
			if at.operation != "" && at.phase != "" &&
				(!slices.Contains(one.without.sections, section{phase: at.phase}) || !slices.Contains(one.without.sections, section{operation: at.operation})) {
				continue // Its phase or operation is listed.
			}
			phases = append(phases, at.title())
		}
		if len(phases) > 0 {
			list = append(list, fmt.Sprintf("only %s has %s: not compared", one.letter, listed(phases)))
		}
	}
	return list
}
