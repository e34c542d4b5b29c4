package runs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// warnings returns the defects of single runs, then the differences between the sides.
func warnings(a, b *Side) []string {
	list := append([]string{}, a.faults()...)
	list = append(list, b.faults()...)
	if was, is := len(a.runs), len(b.runs); was != is {
		list = append(list, fmt.Sprintf("the number of runs differs: A has %d, B has %d", was, is))
	}
	if difference := texts(a, b); difference != "" {
		list = append(list, difference)
	}
	for i, f := range a.runs[0].facets() {
		value := func(one *run) string { return one.facets()[i].value }
		was, is := a.collect(value), b.collect(value)
		alike := len(distinct(was)) == 1
		switch {
		case len(was) != len(is) && alike && len(distinct(is)) == 1 && was[0] == is[0]:
		case !slices.Equal(was, is):
			list = append(list, fmt.Sprintf("the %s differs: A has %s, B has %s", f.name, listed(was), listed(is)))
		case f.name != "seed" && !alike: // Each pair should have its own seed.
			list = append(list, fmt.Sprintf("the %s differs between runs of a side: %s", f.name, listed(was)))
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

// maxFaults is the maximum number of truncated runs of a side that are listed, and of invalid or late ones.
const maxFaults = 10

// faults returns the defects of the runs of a side.
func (s *Side) faults() []string {
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

// facet is a property that should be the same on both sides.
type facet struct{ name, value string }

func (r *run) facets() []facet {
	m, stored := &r.manifest, "all"
	if m.Dataless {
		stored = "none"
	}
	return []facet{
		{"scenario", m.Scenario.Name},
		{"seed", strconv.FormatUint(m.Seed, 10)},
		{"target", strings.TrimSpace(m.Target + " " + m.Service)},
		{"number of accounts", strconv.Itoa(max(1, m.Accounts))},
		{"model profile", m.Profile},
		{"start", m.Start},
		{"retry policy", m.Retry},
		{"time", m.Time},
		{"driver", m.Driver},
		{"anti-pattern", m.AntiPattern},
		{"stored data", stored},
		{"tool version", strings.TrimSpace(m.Tool.Version + " " + m.Tool.Commit)},
		{"Go version or system", m.Tool.Go + " " + m.Tool.System},
		{"machine", fmt.Sprintf("%d CPUs, GOMAXPROCS %d", m.Environment.CPUs, m.Environment.GOMAXPROCS)},
		{"number of workers", strconv.Itoa(m.Environment.Workers)},
	}
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

// texts describes the first difference between the scenarios, except for seed and name, which
// have their own warnings.
func texts(a, b *Side) string {
	for i := range max(len(a.runs), len(b.runs)) {
		was := lines(a.runs[min(i, len(a.runs)-1)])
		is := lines(b.runs[min(i, len(b.runs)-1)])
		for n := range max(len(was), len(is)) {
			switch {
			case n >= len(was):
				return fmt.Sprintf("the scenario differs: line %d of B, %q, is not in A", n+1, is[n])
			case n >= len(is):
				return fmt.Sprintf("the scenario differs: line %d of A, %q, is not in B", n+1, was[n])
			case was[n] != is[n] && !(isSeedOrName(was[n]) && isSeedOrName(is[n])):
				return fmt.Sprintf("the scenario differs, first in line %d: A has %q, B has %q", n+1, was[n], is[n])
			}
		}
	}
	return ""
}

func lines(one *run) []string {
	return strings.Split(strings.TrimSuffix(one.manifest.Scenario.Text, "\n"), "\n")
}

func isSeedOrName(line string) bool {
	return strings.HasPrefix(line, "seed:") || strings.HasPrefix(line, "name:")
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

func orderOf(a, b *Side) order {
	pairs := len(a.runs)
	if pairs != len(b.runs) || pairs < 2 {
		return alternating
	}
	first := 0
	for i := range pairs {
		was, is := a.runs[i], b.runs[i]
		if was.manifest.Time == "virtual" || is.manifest.Time == "virtual" {
			return alternating
		}
		if was.started.Before(is.started) {
			first++
		}
		if i+1 < pairs && (was.started.After(b.runs[i+1].started) || is.started.After(a.runs[i+1].started)) {
			return separate
		}
	}
	if first == pairs {
		return aFirst
	}
	return alternating
}

// oneSided returns the phases and operations of only one side.
func oneSided(a, b *Side) []string {
	var list []string
	for _, one := range []struct {
		letter        string
		side, without *Side
	}{{"A", a, b}, {"B", b, a}} {
		var phases []string
		for _, k := range one.side.keys {
			if k.phase+k.operation == "" || slices.Contains(one.without.keys, k) {
				continue
			}
			whole := key{k.phase, ""}
			if k.operation != "" && k.phase != "" && (!slices.Contains(one.without.keys, whole) || !slices.Contains(one.without.keys, key{"", k.operation})) {
				continue // Its phase or operation is listed.
			}
			phases = append(phases, k.title())
		}
		if len(phases) > 0 {
			list = append(list, fmt.Sprintf("only %s has %s: not compared", one.letter, listed(phases)))
		}
	}
	return list
}
