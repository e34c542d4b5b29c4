// Package coverage_test has an example for each thing that the documents describe: who says
// what, which example or command shows it, and two variations of it whose result follows
// from the documents' rule. docs/development/coverage.md is written from it.
//
// A row computes what it expects from what is varied, and from nothing of a run; what
// is observed is taken from the record, the store or the wire, and no rule is asked there.
package coverage_test

import (
	"fmt"
	"math"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The documents, as the page calls them.
const (
	strategy  = "partitioning strategy"
	guide     = "table design guide"
	patterns  = "design patterns"
	checklist = "performance checklist"
)

// quick says that a row is played in every test run.
const quick = true

// row is one of the things that the documents describe.
type row struct {
	// number is that of the documents' list, group the heading that it stands under.
	number int
	group  string
	// document is where it is said, says what, in one sentence.
	document, says string
	// shows has the command lines that show it, in backquotes.
	shows string
	// varies names what is varied, expects the expected result and its rule.
	varies, expects string
	quick           bool
	variations      [2]variation
}

// variation is a row with one value of what is varied.
type variation struct {
	with     string
	expected band
	observe  func(testing.TB) float64
	// file is where it is written down.
	file string
}

// vary returns a row's two variations, with one rule and one way to observe.
func vary[P any](expect func(P) band, observe func(testing.TB, P) float64, first, second P) [2]variation {
	_, file, _, _ := runtime.Caller(1)
	of := func(p P) variation {
		return variation{told(p), expect(p), func(t testing.TB) float64 { return observe(t, p) }, filepath.Base(file)}
	}
	return [2]variation{of(first), of(second)}
}

// told prints a value that is varied.
func told(value any) string {
	if number, is := value.(float64); is {
		return number3(number)
	}
	return fmt.Sprint(value)
}

// band is what is expected: a number and its tolerance, for chance or a rule of thumb.
type band struct{ value, within float64 }

// exactly returns a band without tolerance.
func exactly[N ~int | ~int64 | ~float64](n N) band { return band{value: float64(n)} }

// about returns a band with a tolerance that is a share of n.
func about(n, share float64) band { return band{n, n * share} }

// deviations is how many standard deviations a draw may lie off: with fixed seeds it either
// does or does not, and one draw in 15,000 would.
const deviations = 4

// binomial returns the band of successes in n trials.
func binomial(n int, probability float64) band {
	mean := float64(n) * probability
	return band{mean, math.Ceil(deviations * math.Sqrt(mean*(1-probability)))}
}

// share returns the band of the share of successes in n trials.
func share(n int, probability float64) band {
	return band{probability, deviations * math.Sqrt(probability*(1-probability)/float64(n))}
}

// shareOf reads a percentage.
func shareOf(percentage string) float64 {
	n, _ := strconv.Atoi(strings.TrimSuffix(percentage, "%"))
	return float64(n) / 100
}

// has reports whether a number is within the band.
func (b band) has(n float64) bool { return math.Abs(n-b.value) <= b.within+1e-9*math.Abs(b.value) }

// String returns the number, and how far it may lie off where it may.
func (b band) String() string {
	if b.within == 0 {
		return number3(b.value)
	}
	return number3(b.value) + " ± " + number3(b.within)
}

// number3 prints a whole number in full, any other to three digits.
func number3(n float64) string {
	if n == math.Trunc(n) || math.Abs(n) >= 100 {
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strconv.FormatFloat(n, 'g', 3, 64)
}

// rows returns all that the documents describe, in the order of their numbers.
func rows() []row {
	var all []row
	for _, group := range []func() []row{
		dataModel, keys, limits, partitions, ranges, balancing, accounting, queries, writes, transactions, concurrency,
		designPatterns, antiPatterns, relations, types, procedure, retries, clientPractice, security, parallelism, stores, across, clientWire,
	} {
		all = append(all, group()...)
	}
	return all
}
