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

// claimed judges a check of the scenario. Its observed value says nothing about a load that was not offered in time.
func claimed(text string, summary *results.Summary, figures *figure.Figures, late func(figure.Step) bool,
	holds func(figure.Step) figure.Holding) results.Check {
	claim, err := figure.ParseClaim(text)
	if err != nil {
		one := results.Check{Expr: document.Cut(text, 200)}
		cannotTell(&one, err.Error())
		return one
	}
	judged := results.Check{Expr: claim.String()}
	if why := unfit(summary.Validity); why != "" {
		cannotTell(&judged, why)
		return judged
	}
	found := claim.Judge(figures)
	if !found.Told {
		why := "too few samples, or missing from the record"
		for _, of := range claim.Figures() {
			if v := figures.Take(of); !v.Told && v.Why != "" {
				why = v.Why
			}
		}
		cannotTell(&judged, why)
		return judged
	}
	_, _, bounded := claim.Bound()
	for _, of := range claim.Figures() {
		// A time below its bound despite a late generator is below it.
		if why := figures.Late(of, late); why != "" && !(found.Pass && bounded && of.Name != "served") {
			cannotTell(&judged, why)
			return judged
		}
	}
	if found.Pass {
		for _, of := range claim.Capped() {
			if why := figures.Unsent(of, holds); why != "" {
				cannotTell(&judged, why)
				return judged
			}
		}
	}
	judged.Observed, judged.Ok = observed(found), new(found.Pass)
	return judged
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
	ending, scale := "", 1.0
	switch unit {
	case figure.Share:
		text, ending, scale = document.Share(value), " %", .01
	case figure.PerSecond:
		text = document.Rate(value)
	case figure.Nanoseconds:
		text, scale = document.Millis(int64(math.Round(value/1e3))), 1e6
	case figure.Ratio:
		text = document.Exactly(document.Rounded(value, 3), 0)
	default:
		if value == math.Trunc(value) {
			return inUnit(value, unit), value
		}
		text = document.Figures(value) // a ratio of counts has as many digits as a float
	}
	number, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSuffix(text, ending), ",", ""), 64)
	if err != nil {
		return text, math.NaN()
	}
	return text + map[figure.Unit]string{figure.PerSecond: "/s", figure.Nanoseconds: " ms"}[unit], number * scale
}

func inUnit(value float64, unit figure.Unit) string {
	power := map[figure.Unit]int{figure.Nanoseconds: -6, figure.Share: 2}[unit]
	return document.Exactly(value, power) + map[figure.Unit]string{figure.Nanoseconds: " ms", figure.Share: " %", figure.PerSecond: "/s"}[unit]
}
