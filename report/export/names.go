package export

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"loadgen/results"
)

// longestName is how many characters of a name are written: benchstat gives up at a line
// of 64 KiB.
const longestName = 200

// short returns a name on one line, of so many characters at most.
func short(name string) string {
	name = Plain(name)
	if utf8.RuneCountInString(name) <= longestName {
		return name
	}
	return string([]rune(name)[:longestName-1]) + "…"
}

// namesOf returns the names of the kinds of operation as a form writes them, each another.
func namesOf(kinds []results.Kind, written func(string) string) []string {
	names, taken := make([]string, len(kinds)), make(map[string]bool)
	for i, kind := range kinds {
		name := written(short(kind.Name))
		for n := 2; taken[name]; n++ {
			name = written(short(kind.Name)) + "_" + strconv.Itoa(n)
		}
		names[i], taken[name] = name, true
	}
	return names
}

// tag returns a name as the tag of a line: it ends at a comma, and must not hold a space.
func tag(name string) string { return strings.ReplaceAll(Word(name), ",", "_") }
