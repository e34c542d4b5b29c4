package verdict

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"loadgen/report/document"
	"loadgen/results"
	"loadgen/results/figure"
)

// claimed judges a check of the scenario.
func (e *evidence) claimed(text string) results.Check {
	claim, err := figure.ParseClaim(text)
	if err != nil {
		return unknownCheck(document.Cut(text, 200), err.Error())
	}
	found := claim.Judge(e.figures)
	if why := cmp.Or(unfit(e.Summary.Validity), e.unknownClaim(claim, found)); why != "" {
		return unknownCheck(claim.String(), why)
	}
	return results.Check{Expr: claim.String(), Observed: observed(found), Ok: new(found.Pass)}
}

// unknownClaim returns why a check has no answer, empty if it has one. Its observed value says nothing about a load that was
// not offered in time.
func (e *evidence) unknownClaim(claim *figure.Claim, found figure.ClaimJudgement) string {
	why := ""
	_, _, bounded := claim.Bound()
	for _, of := range claim.Figures() {
		// A time below its bound despite a late generator is below it.
		if v := e.figures.Value(of); !found.Known && !v.Known {
			why = cmp.Or(v.Why, why)
		} else if found.Known && !(found.Pass && bounded && of.Name != "served") {
			why = cmp.Or(why, e.figures.Late(of, e.late))
		}
	}
	if !found.Known {
		return cmp.Or(why, "too few samples, or missing from the record")
	}
	if found.Pass {
		for _, of := range claim.Capped() {
			why = cmp.Or(why, e.figures.Unsent(of, e.holding))
		}
	}
	return why
}

// unfit returns why no question of a run has an answer, empty if some may have one.
func unfit(validity string) string {
	switch validity {
	case results.Valid:
		return ""
	case results.Partial:
		return "the run is partial: it ended early"
	default:
		return "the run is " + shortened(validity)
	}
}

// observed formats the value of a check as reports do, or with as many digits as it takes to show on which side of its
// limit it is; with the limit if that is computed.
func observed(found figure.ClaimJudgement) string {
	const least, exact = 3, 17
	side := cmp.Compare(found.Left, found.Right)
	for digits := 0; ; digits = max(least, digits+1) {
		left, near := formatValue(found.Left, found.Unit, digits)
		right, limit := formatValue(found.Right, found.Unit, digits)
		if !found.Computed {
			limit = found.Right
		}
		readable := !math.IsNaN(near) && !math.IsNaN(limit) && cmp.Compare(near, limit) == side
		if (readable || digits == exact) && found.Computed {
			return left + ", against " + right
		}
		if readable || digits == exact {
			return left
		}
	}
}

// formatValue formats a value with a number of digits, or if that is 0 as reports do, and returns the number that is read there: none
// for a text such as "<0.1 %". Percentages have a space, as in all stored records.
func formatValue(value float64, unit figure.Unit, digits int) (text string, read float64) {
	power, ending := 0, ""
	write := func(value float64) string {
		if value == math.Trunc(value) {
			return document.Exactly(value, 0)
		}
		return document.Figures(value) // a ratio of counts has as many digits as a float
	}
	switch unit {
	case figure.Share:
		power, ending, write = 2, " %", document.Share
	case figure.PerSecond:
		ending, write = "/s", document.Rate
	case figure.Nanoseconds:
		power, ending, write = -6, " ms", func(nanos float64) string { return document.Millis(int64(math.Round(nanos / 1e3))) }
	case figure.Ratio:
		write = func(value float64) string { return document.Exactly(document.Rounded(value, 3), 0) }
	}
	if digits > 0 {
		value = document.Rounded(value, digits)
		return document.Exactly(value, power) + ending, value
	}
	text = strings.TrimSuffix(write(value), strings.TrimSpace(ending))
	read, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return text, math.NaN()
	}
	return text + ending, read * math.Pow10(-power)
}
