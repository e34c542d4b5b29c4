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
		if v := e.figures.Take(of); !found.Told && !v.Told {
			why = cmp.Or(v.Why, why)
		} else if found.Told && !(found.Pass && bounded && of.Name != "served") {
			why = cmp.Or(why, e.figures.Late(of, e.late))
		}
	}
	if !found.Told {
		return cmp.Or(why, "too few samples, or missing from the record")
	}
	if found.Pass {
		for _, of := range claim.Capped() {
			why = cmp.Or(why, e.figures.Unsent(of, e.holds))
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
	as := func(left, right string) string {
		if found.Computed {
			return left + ", against " + right
		}
		return left
	}
	side := cmp.Compare(found.Left, found.Right)
	left, near := reported(found.Left, found.Unit)
	right, limit := reported(found.Right, found.Unit)
	if !found.Computed {
		limit = found.Right
	}
	if !math.IsNaN(near) && !math.IsNaN(limit) && cmp.Compare(near, limit) == side {
		return as(left, right)
	}
	const least, most = 3, 17
	for digits := least; digits < most; digits++ {
		near, limit = document.Rounded(found.Left, digits), found.Right
		if found.Computed {
			limit = document.Rounded(found.Right, digits)
		}
		if cmp.Compare(near, limit) == side {
			return as(inUnit(near, found.Unit), inUnit(limit, found.Unit))
		}
	}
	return as(inUnit(found.Left, found.Unit), inUnit(found.Right, found.Unit))
}

// reported formats a value as reports do, and returns the number that is read there: none for a text such as "<0.1 %".
func reported(value float64, unit figure.Unit) (text string, shown float64) {
	power, ending := endingOf(unit)
	switch {
	case unit == figure.Share:
		text = document.Share(value)
	case unit == figure.PerSecond:
		text = document.Rate(value)
	case unit == figure.Nanoseconds:
		text = document.Millis(int64(math.Round(value / 1e3)))
	case unit == figure.Ratio:
		text = document.Exactly(document.Rounded(value, 3), 0)
	case value == math.Trunc(value):
		return inUnit(value, unit), value
	default:
		text = document.Figures(value) // a ratio of counts has as many digits as a float
	}
	text = strings.TrimSuffix(text, ending)
	number, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	if err != nil {
		return text, math.NaN()
	}
	return text + ending, number * math.Pow10(-power)
}

// endingOf returns the unit in which a value is shown: the power of ten in it, and what follows the number.
func endingOf(unit figure.Unit) (power int, ending string) {
	switch unit {
	case figure.Share:
		return 2, " %"
	case figure.PerSecond:
		return 0, "/s"
	case figure.Nanoseconds:
		return -6, " ms"
	default:
		return 0, ""
	}
}

func inUnit(value float64, unit figure.Unit) string {
	power, ending := endingOf(unit)
	return document.Exactly(value, power) + ending
}
