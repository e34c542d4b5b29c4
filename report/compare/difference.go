package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"loadgen/report/document"
)

// Kind is how a value changed.
type Kind string

// The kinds. Reordered is an array of named elements in another order.
const (
	Changed   Kind = "changed"
	Added     Kind = "added"
	Removed   Kind = "removed"
	Reordered Kind = "reordered"
)

// Entry is one value that differs.
type Entry struct {
	// Path is the path from the root: phases[peak].response_us.p99. An element of an array
	// is named by its "name" if all have a different one, else counted from 0; a key that is
	// not a plain word is quoted. The root is ".".
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	// Was and Is are the values as JSON on one line, truncated; empty for no value.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
	// Change is a part of one, nil unless both are numbers and a float can hold it.
	Change *float64 `json:"change,omitempty"`
}

// Difference is everything in which two trees differ.
type Difference struct {
	// Entries are the first of them, in the order of the paths' keys.
	Entries []Entry `json:"entries"`
	// Total counts all entries. A branch that only one side has is one entry.
	Total int `json:"total"`
}

// Same reports whether the trees are equal.
func (d *Difference) Same() bool { return d.Total == 0 }

// Lines returns a line for each entry, up to a limit, and a line that counts the others.
// Entries below the prefixes in later come last, in that order. A digest has a line only if
// nothing else differs.
func (d *Difference) Lines(limit int, later ...string) []string {
	place := func(e Entry) int {
		return slices.IndexFunc(later, func(begin string) bool { return strings.HasPrefix(e.Path, begin) })
	}
	digest := func(e Entry) bool { return strings.HasSuffix(e.Path, "digest") }
	entries := slices.SortedStableFunc(slices.Values(d.Entries), func(a, b Entry) int { return place(a) - place(b) })
	if !slices.ContainsFunc(entries, func(e Entry) bool { return !digest(e) }) {
		digest = func(Entry) bool { return false }
	}
	var lines []string
	for _, e := range slices.DeleteFunc(entries, digest) {
		if len(lines) == limit {
			break
		}
		line := ""
		switch e.Kind {
		case Added:
			line = fmt.Sprintf("%s: was not there, is %s", e.Path, e.Is)
		case Removed:
			line = fmt.Sprintf("%s: was %s, is no longer there", e.Path, e.Was)
		case Reordered:
			line = fmt.Sprintf("%s: the order was %s, is %s", e.Path, e.Was, e.Is)
		default:
			line = fmt.Sprintf("%s: was %s, is %s", e.Path, e.Was, e.Is)
			if e.Change != nil && math.Abs(*e.Change) < 0.0005 {
				line += " (" + document.SmallChange(*e.Change) + ")"
			} else if e.Change != nil {
				line += " (" + document.Change(*e.Change) + ")"
			}
		}
		lines = append(lines, line)
	}
	if more := d.Total - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return lines
}
