package history

import (
	"fmt"
	"strings"

	"loadgen/report/document"
	"loadgen/report/text"
)

// condition is a property that comparable runs share.
type condition struct{ what, value string }

// scenarioText names the condition whose value has several lines.
const scenarioText = "scenario"

// differing returns the differences between two lists of conditions, a sentence each.
func differing(was, is []condition) []string {
	var list []string
	for i := range is {
		switch {
		case was[i] == is[i]:
		case is[i].what == scenarioText:
			list = append(list, "the scenario's "+firstDifference(was[i].value, is[i].value))
		default:
			list = append(list, fmt.Sprintf("the %s was %q and is %q", is[i].what, document.Cut(was[i].value, maxWord), document.Cut(is[i].value, maxWord)))
		}
	}
	return list
}

// firstDifference describes the first line in which two texts differ.
func firstDifference(was, is string) string {
	before, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	n := 0
	for n < min(len(before), len(now))-1 && before[n] == now[n] {
		n++
	}
	// One text may be a prefix of the other.
	switch line := n + 1; {
	case before[n] != now[n]:
		return fmt.Sprintf("line %d was %q and is %q", line, quotable(before[n]), quotable(now[n]))
	case len(now) > len(before):
		return fmt.Sprintf("line %d, %q, is new", line+1, quotable(now[n+1]))
	default:
		return fmt.Sprintf("line %d, %q, is gone", line+1, quotable(before[n+1]))
	}
}

func quotable(line string) string { return document.Cut(strings.TrimSpace(line), maxWord) }

// The maximum lengths of a value of a record, and of a path or reason, in characters.
const (
	maxWord = 60
	maxPath = 200
)

// printable returns a text with escapes for unprintable characters, of a maximum length.
func printable(name string, limit int) string { return document.Cut(text.Harmless(name), limit) }
