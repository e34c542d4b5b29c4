package compare

import (
	"fmt"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/report/text"
	"loadgen/results"
)

// Condition is a property that comparable runs share.
type Condition struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// scenarioText is the condition whose value has several lines.
const scenarioText = "scenario"

// Conditions returns what runs must share to be comparable: all but the seed, and the build of
// the tool. The search for a limit is a condition, too.
func Conditions(record *results.Record) []Condition {
	m, stored := &record.Manifest, "all"
	// What a service says of its limits is a result, not a condition.
	service, _, _ := strings.Cut(m.Service, " (")
	if m.Dataless {
		stored = "none"
	}
	return []Condition{
		{scenarioText, m.Scenario.Text},
		{"target", strings.TrimSpace(m.Target + " " + service)},
		{"number of accounts", strconv.Itoa(max(1, m.Accounts))},
		{"clock", m.Time},
		{"start", m.Start},
		{"model profile", m.Profile},
		{"retry policy", m.Retry},
		{"driver", m.Driver},
		{"anti-pattern", m.AntiPattern},
		{"stored data", stored},
		{"search for a limit", strconv.FormatBool(record.Limit != nil)},
		{"system", m.Tool.System},
		{"machine", fmt.Sprintf("%d CPUs, GOMAXPROCS %d", m.Environment.CPUs, m.Environment.GOMAXPROCS)},
		{"number of workers", strconv.Itoa(m.Environment.Workers)},
	}
}

// Differing returns the differences between two lists of conditions, a phrase each.
func Differing(was, is []Condition) []string {
	var list []string
	for i := range is {
		switch {
		case was[i] == is[i]:
		case is[i].What == scenarioText:
			if difference := firstDifference(was[i].Value, is[i].Value); difference != "" {
				list = append(list, "the scenario's "+difference)
			}
		default:
			list = append(list, fmt.Sprintf("the %s was %s and is %s", is[i].What, quoted(was[i].Value), quoted(is[i].Value)))
		}
	}
	return list
}

// firstDifference describes the first line in which two texts differ, empty for none.
func firstDifference(was, is string) string {
	before, now := strings.Split(strings.TrimSpace(was), "\n"), strings.Split(strings.TrimSpace(is), "\n")
	for n := range max(len(before), len(now)) {
		switch {
		case n >= len(before):
			return fmt.Sprintf("line %d, %s, is new", n+1, quoted(now[n]))
		case n >= len(now):
			return fmt.Sprintf("line %d, %s, is gone", n+1, quoted(before[n]))
		case before[n] != now[n]:
			return fmt.Sprintf("line %d was %s and is %s", n+1, quoted(before[n]), quoted(now[n]))
		}
	}
	return ""
}

func quoted(value string) string {
	return fmt.Sprintf("%q", document.Cut(strings.TrimSpace(value), maxWord))
}

// The maximum lengths of a value of a record, and of a path or reason, in characters.
const (
	maxWord = 60
	maxPath = 200
)

// Printable returns a text of a record with escapes for unprintable characters, of a maximum
// length.
func Printable(name string, limit int) string { return document.Cut(text.Harmless(name), limit) }
