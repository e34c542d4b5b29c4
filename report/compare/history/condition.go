package history

import (
	"fmt"
	"strings"
	"unicode"
)

// condition is something that runs have in common where their figures can be compared.
type condition struct{ what, value string }

// textOf names the condition that is a text of several lines.
const textOf = "scenario"

// differing returns what differs between two lists of conditions, a sentence each.
func differing(was, is []condition) []string {
	var list []string
	for i := range is {
		switch {
		case was[i] == is[i]:
		case is[i].what == textOf:
			list = append(list, "the scenario's "+lineThatDiffers(was[i].value, is[i].value))
		default:
			list = append(list, fmt.Sprintf("the %s was %q and is %q", is[i].what, printable(was[i].value, longestWord), printable(is[i].value, longestWord)))
		}
	}
	return list
}

// lineThatDiffers names the first line in which two texts differ.
func lineThatDiffers(was, is string) string {
	before, now := strings.Split(was, "\n"), strings.Split(is, "\n")
	n := 0
	for n < min(len(before), len(now))-1 && before[n] == now[n] {
		n++
	}
	// A text that ends where the other goes on differs by a line that is not there.
	switch line := n + 1; {
	case before[n] != now[n]:
		return fmt.Sprintf("line %d was %q and is %q", line, quotable(before[n]), quotable(now[n]))
	case len(now) > len(before):
		return fmt.Sprintf("line %d, %q, is new", line+1, quotable(now[n+1]))
	default:
		return fmt.Sprintf("line %d, %q, is gone", line+1, quotable(before[n+1]))
	}
}

func quotable(line string) string { return printable(strings.TrimSpace(line), longestWord) }

// How many characters are shown of a word of a record, and of a path or a reason.
const (
	longestWord = 60
	longestPath = 200
)

// printable makes a text of a record fit to be printed: one line of so many printable
// characters at most.
func printable(text string, most int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n == most {
			b.WriteRune('…')
			break
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			r = '?'
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
