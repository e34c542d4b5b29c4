package runs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
)

// warnings returns whatever is not the same on both sides, and what speaks against single
// runs, which come first.
func warnings(a, b *Side) []string {
	list := append([]string{}, a.faults()...)
	list = append(list, b.faults()...)
	if was, is := len(a.runs), len(b.runs); was != is {
		list = append(list, fmt.Sprintf("the number of runs differs: A has %d, B has %d, so that they do not pair", was, is))
	}
	if told := texts(a, b); told != "" {
		list = append(list, told)
	}
	for i, f := range a.runs[0].facets() {
		of := func(one *run) string { return one.facets()[i].value }
		was, is := a.each(of), b.each(of)
		alike := len(distinct(was)) == 1
		switch {
		case len(was) != len(is) && alike && len(distinct(is)) == 1 && was[0] == is[0]:
		case !slices.Equal(was, is):
			list = append(list, fmt.Sprintf("the %s differs: A has %s, B has %s", f.name, listed(was), listed(is)))
		case f.name != "seed" && !alike: // Seeds that differ from pair to pair are as they should be.
			list = append(list, fmt.Sprintf("the %s is not the same for all runs of a side: %s", f.name, listed(was)))
		}
	}
	if told := outOfTurn(a, b); told != "" {
		list = append(list, told)
	}
	return append(list, oneSided(a, b)...)
}

// mostFaults is how many runs of a side are told that are cut off, and as many that are not
// valid or were sent late.
const mostFaults = 10

// faults returns what speaks against the runs of a side.
func (s *Side) faults() []string {
	var cut, unsound []string
	for _, one := range s.runs {
		if one.cut != "" {
			cut = append(cut, fmt.Sprintf("%s %s", shown(one.name), one.cut))
		}
		switch {
		case one.validity != results.Valid:
			text := fmt.Sprintf("%s is %s", shown(one.name), shown(one.validity))
			if len(one.reasons) > 0 {
				text += ": " + shown(one.reasons[0])
			}
			unsound = append(unsound, text)
		case len(one.late) > 0:
			unsound = append(unsound, fmt.Sprintf("%s is client-limited: %s", shown(one.name), shown(one.late[0])))
		}
	}
	var list []string
	for _, faults := range [][]string{cut, unsound} {
		list = append(list, faults[:min(len(faults), mostFaults)]...)
		if more := len(faults) - mostFaults; more > 0 {
			list = append(list, fmt.Sprintf("and so it is with %s of %s", document.Counted(more, "more run", "more runs"), shown(s.Name)))
		}
	}
	return list
}

// facet is something of a run that ought to be the same on both sides.
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
		{"profile of the model", m.Profile},
		{"start", m.Start},
		{"retry policy", m.Retry},
		{"time", m.Time},
		{"driver", m.Driver},
		{"opposite of a scenario", m.AntiPattern},
		{"storing of data", stored},
		{"build of the tool", strings.TrimSpace(m.Tool.Version + " " + m.Tool.Commit)},
		{"version of Go, or the system,", m.Tool.Go + " " + m.Tool.System},
		{"machine", fmt.Sprintf("%d CPUs, GOMAXPROCS %d", m.Environment.CPUs, m.Environment.GOMAXPROCS)},
		{"number of workers", strconv.Itoa(m.Environment.Workers)},
	}
}

// mostListed is how many values of a facet are told.
const mostListed = 3

// listed returns the values of a facet, each once.
func listed(values []string) string {
	values = distinct(values)
	var words []string
	for _, value := range values[:min(len(values), mostListed)] {
		if value == "" {
			value = "none"
		}
		words = append(words, shown(value))
	}
	if more := len(values) - mostListed; more > 0 {
		words = append(words, fmt.Sprintf("%d more", more))
	}
	return strings.Join(words, "; ")
}

// distinct returns each value once, in the order of the first of each.
func distinct(values []string) []string {
	var list []string
	for _, value := range values {
		if !slices.Contains(list, value) {
			list = append(list, value)
		}
	}
	return list
}

// texts says where the scenario of a run of B first differs from that of A. The seed and
// the name have warnings of their own.
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

// outOfTurn says where live runs were not taken pair after pair, so that a machine that
// drifts looks like a difference; empty where they were, or where time is virtual.
func outOfTurn(a, b *Side) string {
	pairs := len(a.runs)
	if pairs != len(b.runs) || pairs < 2 {
		return ""
	}
	aFirst := 0
	for i := range pairs {
		was, is := a.runs[i], b.runs[i]
		if was.manifest.Time == "virtual" || is.manifest.Time == "virtual" {
			return ""
		}
		if was.started.Before(is.started) {
			aFirst++
		}
		if i+1 < pairs && (was.started.After(b.runs[i+1].started) || is.started.After(a.runs[i+1].started)) {
			return "the runs were not taken in turn, a pair after the other: what drifts on the machine looks like a difference"
		}
	}
	if aFirst == pairs {
		return "A came first in every pair, so that a steady drift favours one side; A B, B A, A B, … cancels it"
	}
	return ""
}

// oneSided returns the phases and operations that one side alone has.
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
				continue // Told by its phase, or by its operation.
			}
			phases = append(phases, k.title())
		}
		if len(phases) > 0 {
			list = append(list, fmt.Sprintf("%s alone has %s: not compared", one.letter, listed(phases)))
		}
	}
	return list
}
