package ranking

import (
	"fmt"
	"math"
	"strconv"

	"loadgen/report/plain"
	"loadgen/report/verdict"
)

// The cells of the tables: a mean, or an interval, or an en dash for what is not told.

func rate(e *Estimate) string {
	if e == nil {
		return plain.Untold
	}
	return verdict.Rate(e.Mean)
}

// each shows what an event takes so closely that what is told apart looks different.
func each(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
	}
	return verdict.Rate(v)
}

func rates(e *Estimate) string {
	if e == nil || e.Interval == nil {
		return plain.Untold
	}
	return verdict.Rate(e.Interval[0]) + " to " + verdict.Rate(e.Interval[1])
}

func share(e *Estimate) string {
	if e == nil {
		return plain.Untold
	}
	return verdict.Share(e.Mean)
}

func longest(e *Estimate) string {
	if e == nil {
		return plain.Untold
	}
	return milliseconds(int64(e.Mean))
}

func ratio(e *Effect) string {
	if e == nil {
		return plain.Untold
	}
	return factor(e.Ratio)
}

func ratios(e *Effect) string {
	if e == nil || e.Interval == nil {
		return plain.Untold
	}
	return factor(e.Interval[0]) + " to " + factor(e.Interval[1])
}

// factor shows a ratio to three figures; beyond a thousand, either way, only that it is so.
func factor(v float64) string {
	switch {
	case v < 0.001:
		return "<0.001"
	case v < 9.9995:
		return fmt.Sprintf("%.3f", v)
	case v < 999.5:
		return strconv.FormatFloat(v, 'g', 3, 64)
	default:
		return ">999"
	}
}

func millis(micros *int64) string {
	if micros == nil {
		return plain.Untold
	}
	ms := float64(*micros) / 1000
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return verdict.Rate(ms)
}

func money(v *float64) string {
	if v == nil {
		return plain.Untold
	}
	if *v >= 1000 {
		return verdict.Rate(*v)
	}
	return strconv.FormatFloat(*v, 'g', 4, 64)
}
