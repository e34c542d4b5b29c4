package contest

import (
	"fmt"
	"math"
	"strconv"

	"loadgen/report/document"
)

// The cells of the tables: a mean, or an interval, or an en dash for what is not told.

func (e *Estimate) told(as func(float64) string) string {
	if e == nil {
		return document.Untold
	}
	return as(e.Mean)
}

func (e *Estimate) rates() string {
	if e == nil {
		return document.Untold
	}
	return document.Interval(e.Interval, document.Rate)
}

// told shows a ratio, and ratios its interval.
func (e *Effect) told() string {
	if e == nil {
		return document.Untold
	}
	return factor(e.Ratio)
}

func (e *Effect) ratios() string {
	if e == nil {
		return document.Untold
	}
	return document.Interval(e.Interval, factor)
}

// each shows what an event takes so closely that what is told apart looks different.
func each(v float64) string {
	if v < 100 {
		return strconv.FormatFloat(math.Round(v*1000)/1000, 'f', -1, 64)
	}
	return document.Rate(v)
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

func millis(micros int64) string {
	ms := float64(micros) / 1000
	if ms < 100 {
		return fmt.Sprintf("%.1f", ms)
	}
	return document.Rate(ms)
}

func money(v float64) string {
	if v >= 1000 {
		return document.Rate(v)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}
