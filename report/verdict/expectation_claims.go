package verdict

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"loadgen/results"
	"loadgen/results/expectation"
)

// notJudged begins what is observed where a claim was not held against the run.
const notJudged = "not judged: "

// claims judges what the scenario claims of the run, in its order. Only a valid run
// can bear it out.
func claims(record *results.Record, summary *results.Summary) []results.Expectation {
	list := make([]results.Expectation, 0, len(record.Manifest.Expectations))
	figures := &facts{record: record, summary: summary}
	for _, text := range record.Manifest.Expectations {
		list = append(list, claimed(text, figures))
	}
	return list
}

func claimed(text string, figures *facts) results.Expectation {
	claim, err := expectation.Parse(text)
	if err != nil {
		return results.Expectation{Expr: cut(text, 200), Observed: notJudged + err.Error()}
	}
	judged := results.Expectation{Expr: claim.String()}
	if figures.summary.Validity != results.Valid {
		judged.Observed = notJudged + "the run is " + shortened(figures.summary.Validity)
		return judged
	}
	found := claim.Judge(figures)
	if !found.Told {
		judged.Observed = notMeasured
		return judged
	}
	judged.Pass = found.Pass
	judged.Observed = observed(found)
	return judged
}

// observed prints what a claim came to, with as many digits as it takes to show on
// which side of its limit it lies; and the limit, where that is computed.
func observed(found expectation.Judgement) string {
	const least, most = 3, 17
	for digits := least; digits < most; digits++ {
		left, right := rounded(found.Left, digits), rounded(found.Right, digits)
		if found.Unit == expectation.Count {
			// What is counted is exact, and shown so.
			left, right = found.Left, found.Right
		}
		if !found.Computed {
			right = found.Right
		}
		if cmp.Compare(left, right) == cmp.Compare(found.Left, found.Right) {
			return side(left, right, found)
		}
	}
	return side(found.Left, found.Right, found)
}

func side(left, right float64, found expectation.Judgement) string {
	text := inUnit(left, found.Unit)
	if found.Computed {
		text += ", against " + inUnit(right, found.Unit)
	}
	return text
}

// rounded returns a value to so many significant figures.
func rounded(value float64, digits int) float64 {
	near, err := strconv.ParseFloat(strconv.FormatFloat(value, 'e', digits-1, 64), 64)
	if err != nil {
		return value
	}
	return near
}

func inUnit(value float64, unit expectation.Unit) string {
	switch unit {
	case expectation.Nanoseconds:
		return time.Duration(math.Round(value)).String()
	case expectation.Share:
		return decimals(value, 2) + "%"
	case expectation.PerSecond:
		return decimals(value, 0) + "/s"
	default:
		return decimals(value, 0)
	}
}

// decimals prints a number times a power of ten, with separators of thousands.
func decimals(value float64, power int) string {
	sign := ""
	if value < 0 {
		sign, value = "-", -value
	}
	// The power is put into the decimals, so that no digit comes of multiplying.
	digits, exponent, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	shifted, err := strconv.Atoi(exponent)
	if err != nil {
		return fmt.Sprint(value)
	}
	value, _ = strconv.ParseFloat(digits+"e"+strconv.Itoa(shifted+power), 64)
	whole, rest, some := strings.Cut(strconv.FormatFloat(value, 'f', -1, 64), ".")
	text := sign + grouped(whole)
	if some {
		text += "." + rest
	}
	return text
}
