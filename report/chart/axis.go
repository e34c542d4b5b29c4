package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
)

// linear and logarithmic are scales that clamp values to the axis: whatever a record contains, no coordinate outside
// its panel reaches a canvas. NaN is at the beginning.
type (
	linear      struct{}
	logarithmic struct{}
)

var (
	_ plot.Normalizer = linear{}
	_ plot.Normalizer = logarithmic{}
)

// Normalize implements plot.Normalizer.
func (linear) Normalize(from, to, x float64) float64 { return clampToUnit((x - from) / (to - from)) }

// Normalize implements plot.Normalizer; from must be above 0.
func (logarithmic) Normalize(from, to, x float64) float64 {
	if !(x > from) {
		return 0
	}
	return clampToUnit(math.Log(x/from) / math.Log(to/from))
}

// clampToUnit returns v within 0 to 1, and 0 for NaN.
func clampToUnit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// newPlot returns an empty plot in the style of all charts.
func newPlot(x, y plot.Axis) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, axis := range []struct{ to, from *plot.Axis }{{&p.X, &x}, {&p.Y, &y}} {
		to, from := axis.to, axis.from
		to.Min, to.Max, to.Scale = from.Min, from.Max, from.Scale
		to.Tick.Marker, to.Label.Text = from.Tick.Marker, from.Label.Text
		to.Padding = 0
		to.LineStyle = stroke(0.8, axisInk)
		to.Tick.LineStyle = stroke(0.8, axisInk)
		to.Tick.Length = 5
		to.Tick.Label.Font = write(tickSize, textInk).Font
		to.Tick.Label.Color = textInk
		to.Label.TextStyle.Font = write(labelSize, textInk).Font
		to.Label.TextStyle.Color = textInk
		to.Label.Padding = vg.Points(3)
	}
	p.Add(grid{})
	return p
}

// countAxis runs from 0 to the highest value times the headroom.
func countAxis(label string, highest, headroom float64) plot.Axis {
	if !(highest > 0) || math.IsInf(highest, 0) {
		highest = 1
	}
	axis := linearAxis(0, highest*headroom)
	axis.Label.Text = label
	return axis
}

// linearAxis runs between two values, or a little further if to is not above from.
func linearAxis(from, to float64) plot.Axis {
	if !(to > from) {
		to = from + max(1, math.Abs(from)/1000)
	}
	axis := plot.Axis{Min: from, Max: to, Scale: linear{}}
	axis.Tick.Marker = plot.TickerFunc(linearTicks)
	return axis
}

// linearTicks returns at most seven ticks at multiples of 1, 2 or 5 times a power of ten; they are whole numbers
// unless the axis ends below 1.
func linearTicks(from, to float64) []plot.Tick {
	power := math.Pow10(int(math.Floor(math.Log10((to - from) / 5))))
	multiples := []float64{power, 2 * power, 5 * power, 10 * power}
	for i := range multiples {
		if to >= 1 {
			multiples[i] = max(multiples[i], 1)
		}
	}
	return evenTicks(from, to, multiples, 6, document.Figures)
}

// evenTicks returns ticks at the multiples of the first of the steps that divides the axis into at most limit parts,
// otherwise of the last step.
func evenTicks(from, to float64, steps []float64, limit int, label func(float64) string) []plot.Tick {
	step := steps[0]
	for _, step = range steps {
		if (to-from)/step <= float64(limit) {
			break
		}
	}
	var ticks []plot.Tick
	for i := math.Ceil(from / step); i*step <= to && len(ticks) <= limit; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: label(i * step)})
	}
	return ticks
}

// timeAxis returns a logarithmic axis of microseconds that contains both durations and spans at least a decade.
func timeAxis(from, to float64) plot.Axis {
	// A duration of 0 has no logarithm and is drawn at the left end.
	const shortest, padding = 0.5, 0.03
	from = max(from, shortest)
	to = max(to, from)
	span := math.Log10(to / from)
	widen := math.Pow(10, max(padding*span, (1-span)/2))
	axis := logarithmicAxis(max(shortest, from/widen), to*widen, timeTicks)
	axis.Max = max(axis.Max, 10*axis.Min)
	return axis
}

func logarithmicAxis(from, to float64, ticks plot.TickerFunc) plot.Axis {
	axis := plot.Axis{Min: from, Max: to, Scale: logarithmic{}}
	axis.Tick.Marker = ticks
	return axis
}

// timeTicks labels the powers of ten, on a short axis also two and five times them, and adds ticks without labels
// between them.
func timeTicks(from, to float64) []plot.Tick {
	const shortAxis = 1.7 // decades
	isShort := math.Log10(to/from) < shortAxis
	return decadeTicks(from, to, []int{1, 2, 3, 4, 5, 6, 7, 8, 9}, func(digit int, value float64) string {
		if digit == 1 || isShort && (digit == 2 || digit == 5) {
			return document.RoundTime(value)
		}
		return ""
	})
}

// decadeTicks returns ticks at the digits times each power of ten.
func decadeTicks(from, to float64, digits []int, label func(digit int, value float64) string) []plot.Tick {
	var ticks []plot.Tick
	for power := int(math.Floor(math.Log10(from))); math.Pow10(power) <= to; power++ {
		for _, digit := range digits {
			if value := float64(digit) * math.Pow10(power); value >= from && value <= to {
				ticks = append(ticks, plot.Tick{Value: value, Label: label(digit, value)})
			}
		}
	}
	return ticks
}

// unlabelled returns the axis without the labels of its ticks.
func unlabelled(axis plot.Axis) plot.Axis {
	return relabelled(axis, func(float64) string { return "" })
}

// relabelled returns the axis with other labels at its ticks.
func relabelled(axis plot.Axis, label func(value float64) string) plot.Axis {
	marker := axis.Tick.Marker
	axis.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick {
		ticks := marker.Ticks(from, to)
		for i := range ticks {
			ticks[i].Label = label(ticks[i].Value)
		}
		return ticks
	})
	return axis
}

// nameAxis returns a vertical axis of rows, the first of which is at the top: row i of n is at n−1−i.
func nameAxis(names []string) plot.Axis {
	ticks := make(plot.ConstantTicks, len(names))
	for i, name := range names {
		ticks[i] = plot.Tick{Value: float64(len(names) - 1 - i), Label: name}
	}
	axis := plot.Axis{Min: -0.5, Max: float64(len(names)) - 0.5, Scale: linear{}}
	axis.Tick.Marker = ticks
	return axis
}

// percentileAxis places a percentile p at 1/(1−p) on a logarithmic scale, so that each further nine takes the same
// room. maxOdds is the greatest 1/(1−p) shown.
func percentileAxis(label string, maxOdds float64) plot.Axis {
	axis := logarithmicAxis(1, max(20, 1.6*maxOdds), func(_, to float64) []plot.Tick {
		ticks := []plot.Tick{{Value: 1, Label: "0"}, {Value: 2, Label: "50"}}
		for nines := 1; math.Pow10(nines) <= to; nines++ {
			// 90, 99, 99.9 and so on.
			label := document.Decimals(100-math.Pow10(2-nines), max(0, nines-2))
			ticks = append(ticks, plot.Tick{Value: math.Pow10(nines), Label: label})
		}
		return ticks
	})
	axis.Label.Text = label
	return axis
}

// clockTicks returns at most nine ticks at whole seconds, minutes or hours, in the greatest unit that occurs several
// times.
func clockTicks(from, to float64) []plot.Tick {
	unit, name := 1., " s"
	switch span := to - from; {
	case span > 4*3600:
		unit, name = 3600, " h"
	case span > 240:
		unit, name = 60, " min"
	}
	steps := []float64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1e3, 1e4, 1e5, 1e6, 1e9, 1e12, 1e15}
	for i := range steps {
		steps[i] *= unit
	}
	return evenTicks(from, to, steps, 8, func(at float64) string { return document.Figures(at/unit) + name })
}
