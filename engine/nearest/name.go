package nearest

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxCompared bounds, in bytes, how much of a name is compared, maxShown how
// much of one is printed.
const (
	maxCompared = 200
	maxShown    = 60
)

// Name returns the known name that a mistyped one most likely meant: the first of
// [Names]; and whether it is near enough to be worth suggesting, which is at most one
// edit plus one for every four characters. It returns "" only where nothing is known.
func Name(typed string, known []string) (string, bool) {
	all := Names(typed, known)
	if len(all) == 0 {
		return "", false
	}
	// One edit turns a single letter into any other: a suggestion must share
	// something with what was typed.
	least := Distance(typed, all[0])
	length := max(utf8.RuneCountInString(clip(typed, maxCompared)), utf8.RuneCountInString(clip(all[0], maxCompared)))
	return all[0], least <= 1+length/4 && least < length
}

// Names returns the known names at the least distance from a mistyped one, in their
// order.
func Names(typed string, known []string) []string {
	var all []string
	least := -1
	for _, candidate := range known {
		switch d := Distance(typed, candidate); {
		case least < 0 || d < least:
			least, all = d, append(all[:0], candidate)
		case d == least:
			all = append(all, candidate)
		}
	}
	return all
}

// Unknown returns the message for a name that is not among the known ones: what
// was found and which name was probably meant, or else the names that exist.
func Unknown(what, name string, known []string) string {
	if near, ok := Name(name, known); ok {
		return fmt.Sprintf("unknown %s %s; did you mean %q?", what, Quote(name), near)
	}
	return fmt.Sprintf("unknown %s %s; expected %s", what, Quote(name), Choice(known))
}

// NamesOf returns the names of things that are known, in their order.
func NamesOf[T any](known []T, name func(T) string) []string {
	var names []string
	for _, one := range known {
		names = append(names, name(one))
	}
	return names
}

// Choice returns names as a person lists alternatives: "a, b or c"; after the
// twelfth it only counts them.
func Choice(names []string) string {
	const most = 12
	names = NamesOf(names, func(name string) string { return clip(name, maxShown) })
	switch {
	case len(names) == 0:
		return "none, for there are none"
	case len(names) == 1:
		return names[0]
	case len(names) > most:
		return fmt.Sprintf("%s or one of %d more", strings.Join(names[:most], ", "), len(names)-most)
	default:
		last := len(names) - 1
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
}

// Quote returns a name in quotes, cut where it is too long to print.
func Quote(name string) string {
	if short := clip(name, maxShown); short != name {
		return fmt.Sprintf("%q…", short)
	}
	return fmt.Sprintf("%q", name)
}

// clip cuts a name at a character boundary to the given maximum of bytes.
func clip(name string, most int) string {
	if len(name) <= most {
		return name
	}
	end := most
	for end > 0 && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}

// Distance is the optimal string alignment distance of two names in characters,
// letter case ignored: the least number of insertions, deletions, replacements and
// swaps of neighbours that makes one the other, no stretch being edited twice.
func Distance(a, b string) int {
	from, to := []rune(strings.ToLower(clip(a, maxCompared))), []rune(strings.ToLower(clip(b, maxCompared)))
	before := make([]int, len(to)+1)
	last := make([]int, len(to)+1)
	row := make([]int, len(to)+1)
	for j := range last {
		last[j] = j
	}
	for i := range from {
		row[0] = i + 1
		for j := range to {
			replaced := last[j]
			if from[i] != to[j] {
				replaced++
			}
			row[j+1] = min(replaced, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && from[i] == to[j-1] && from[i-1] == to[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(to)]
}
