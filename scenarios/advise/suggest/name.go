package suggest

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"loadgen/scenarios"
)

// free returns the first of the names that a function counts, from 1 on, that is neither
// taken by the scenario nor by others.
func (r *rule) free(others []string, name func(n int) string) string {
	for n := 1; ; n++ {
		one := name(n)
		_, taken := r.taken[strings.ToLower(one)]
		if !taken && !slices.ContainsFunc(others, func(other string) bool { return strings.EqualFold(other, one) }) {
			return one
		}
	}
}

// name says what the PartitionKey is formed from, and what there is beside; from the second
// on it has a number.
func (d *draft) name(n int) string {
	end := ""
	if d.buckets > 1 {
		end += "-in-" + strconv.Itoa(d.buckets)
	}
	if copies := len(d.design.Copies); copies == 1 {
		end += "-copied"
	} else if copies > 1 {
		end += "-copied-" + strconv.Itoa(copies)
	}
	return numbered(cut("by-"+strings.Join(d.set, "-"), longestName-len(end))+end, n)
}

// tableOf returns what the table of a copy is called: ByAge.
func (r *rule) tableOf(word string, beside []scenarios.Copy) string {
	whole := "By"
	for part := range strings.FieldsFuncSeq(word, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
		whole += strings.ToUpper(part[:1]) + part[1:]
	}
	var others []string
	for i := range beside {
		others = append(others, beside[i].Table)
	}
	return r.free(others, func(n int) string {
		if n == 1 {
			return cut(whole+"1", max(3, min(copyTable, len(whole))))
		}
		end := strconv.Itoa(n)
		return cut(whole, copyTable-len(end)) + end
	})
}

func numbered(name string, n int) string {
	if n == 1 {
		return name
	}
	return name + "-" + strconv.Itoa(n)
}
