package compare

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"loadgen/report/document"
)

// Kind says what became of a value.
type Kind uint8

// The kinds. Reordered is an array of named elements in another order.
const (
	Changed Kind = iota
	Added
	Removed
	Reordered
)

// String returns the kind as one word.
func (k Kind) String() string {
	words := [...]string{"changed", "added", "removed", "reordered"}
	if int(k) >= len(words) {
		return "kind " + strconv.Itoa(int(k))
	}
	return words[k]
}

// MarshalText returns the kind as one word.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Entry is one value that differs.
type Entry struct {
	// Path leads to the value from the root: phases[peak].response_us.p99. An element
	// of an array is named by its "name" where all have one of their own, else
	// counted from 0; a key that is no plain word stands in quotes. The root is ".".
	Path string `json:"path"`
	Kind Kind   `json:"kind"`
	// Was and Is are the values as JSON on one line, cut off where they are long;
	// empty where there is none.
	Was string `json:"was,omitempty"`
	Is  string `json:"is,omitempty"`
	// Change is a part of one, nil unless both are numbers and a float can hold it.
	Change *float64 `json:"change,omitempty"`
}

// Difference is everything in which two trees differ.
type Difference struct {
	// Entries are the first of them, in the order of the paths' keys.
	Entries []Entry `json:"entries"`
	// Total counts all of them. A branch that is there on one side only is one.
	Total int `json:"total"`
}

// Same says that the trees do not differ.
func (d *Difference) Same() bool { return d.Total == 0 }

// Lines returns a line for each entry, so many at most, and one for those that are left
// out. Entries below the first of later come after the others, then those below the
// second, and so on: the shorter half of a record says more. Of a digest there is no line
// where something else differs, too, for that says nothing more.
func (d *Difference) Lines(most int, later ...string) []string {
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
		if len(lines) == most {
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
