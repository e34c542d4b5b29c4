package backoff

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// presets returns the built-in policies, sorted by name.
func presets() []Policy {
	return []Policy{
		{Name: "documented", Retries: 3, Delay: Exponential{Base: 30 * time.Second, Min: 3 * time.Second, Max: 90 * time.Second}},
		{Name: "none"},
		{Name: "short", Retries: 3, Delay: Exponential{Base: 100 * time.Millisecond, Min: 50 * time.Millisecond, Max: 2 * time.Second}},
	}
}

// Names returns the names of the built-in policies, sorted. The slice is the
// caller's.
func Names() []string {
	var names []string
	for _, p := range presets() {
		names = append(names, p.Name)
	}
	return names
}

// ByName returns the built-in policy of that name:
//
//   - none never retries;
//   - documented is the documents' exponential formula with their example
//     values: z 30 s, zmin 3 s, zmax 90 s, 3 retries;
//   - short is the same formula with z 100 ms, zmin 50 ms, zmax 2 s, so that a
//     test of a minute sees retries end.
//
// For any other name the error is [ErrUnknown] and says which known names come
// nearest.
func ByName(name string) (Policy, error) {
	for _, p := range presets() {
		if p.Name == name {
			return p, nil
		}
	}
	return Policy{}, fmt.Errorf("%w %s; nearest: %s", ErrUnknown, shown(name), strings.Join(nearest(name), ", "))
}

// longestName bounds how much of an unknown name is compared and shown.
const longestName = 40

func shown(name string) string {
	if len(name) > longestName {
		return strconv.Quote(name[:longestName]) + "…"
	}
	return strconv.Quote(name)
}

// nearest returns the known names at the least edit distance from the given.
func nearest(name string) []string {
	name = strings.ToLower(name[:min(len(name), longestName)])
	var found []string
	least := -1
	for _, known := range Names() {
		switch d := distance(name, known); {
		case least < 0 || d < least:
			least, found = d, []string{known}
		case d == least:
			found = append(found, known)
		}
	}
	return found
}

// distance is the Levenshtein distance of two texts in bytes: the least number
// of bytes to insert, delete or replace that makes one the other.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
