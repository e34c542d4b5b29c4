package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"loadgen/report/document"
)

// linear and logarithmic are scales that never leave the axis: a value beyond an
// end, or none at all, falls on the end. Whatever a record holds, no coordinate
// outside its panel ever reaches a canvas.
type (
	linear      struct{}
	logarithmic struct{}
)

var (
	_ plot.Normalizer = linear{}
	_ plot.Normalizer = logarithmic{}
)

// Normalize implements plot.Normalizer.
func (linear) Normalize(least, greatest, x float64) float64 {
	return clampToUnit((x - least) / (greatest - least))
}

// Normalize implements plot.Normalizer; least must be above 0.
func (logarithmic) Normalize(least, greatest, x float64) float64 {
	if !(x > least) {
		return 0
	}
	return clampToUnit(math.Log(x/least) / math.Log(greatest/least))
}

// clampToUnit is the nearest to v in 0 to 1, and 0 for what is no number.
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

// countAxis runs from 0 to somewhat more than the greatest of its values.
func countAxis(label string, greatest, headroom float64) plot.Axis {
	if !(greatest > 0) || math.IsInf(greatest, 0) {
		greatest = 1
	}
	axis := linearAxis(0, greatest*headroom)
	axis.Label.Text = label
	return axis
}

// linearAxis runs from one value to another, or somewhat further if that is not
// greater.
func linearAxis(from, to float64) plot.Axis {
	if !(to > from) {
		to = from + max(1, math.Abs(from)/1000)
	}
	axis := plot.Axis{Min: from, Max: to, Scale: linear{}}
	axis.Tick.Marker = plot.TickerFunc(linearTicks)
	return axis
}

// linearTicks are at multiples of 1, 2 or 5 times a power of ten, seven at most,
// and whole unless the axis ends below 1.
func linearTicks(least, greatest float64) []plot.Tick {
	step := math.Pow10(int(math.Floor(math.Log10((greatest - least) / 5))))
	for _, factor := range []float64{2, 2.5, 2} {
		if (greatest-least)/step <= 6 {
			break
		}
		step *= factor
	}
	if greatest >= 1 {
		step = max(step, 1)
	}
	var ticks []plot.Tick
	const most = 8
	for i := math.Ceil(least / step); i*step <= greatest && len(ticks) < most; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: document.Figures(i * step)})
	}
	return ticks
}

// timeAxis is a logarithmic axis of microseconds that holds both durations and
// spans a decade at least.
func timeAxis(from, to float64) plot.Axis {
	// A duration of 0 is drawn at the left end, since a logarithm has no place
	// for it.
	const shortest, padding = 0.5, 0.03
	from = max(from, shortest)
	to = max(to, from)
	span := math.Log10(to / from)
	widen := math.Pow(10, max(padding*span, (1-span)/2))
	axis := plot.Axis{Min: max(shortest, from/widen), Max: to * widen, Scale: logarithmic{}}
	axis.Max = max(axis.Max, 10*axis.Min)
	axis.Tick.Marker = plot.TickerFunc(timeTicks)
	return axis
}

// timeTicks label the powers of ten, and on a short axis also two and five times
// them; what lies between is marked without a label.
func timeTicks(least, greatest float64) []plot.Tick {
	const short = 1.7 // decades
	between := math.Log10(greatest/least) < short
	var ticks []plot.Tick
	for power := int(math.Floor(math.Log10(least))); math.Pow10(power) <= greatest; power++ {
		for digit := 1; digit <= 9; digit++ {
			value := float64(digit) * math.Pow10(power)
			if value < least || value > greatest {
				continue
			}
			tick := plot.Tick{Value: value}
			if digit == 1 || between && (digit == 2 || digit == 5) {
				tick.Label = document.RoundTime(value)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

// unlabelled returns the axis with its ticks but without their labels.
func unlabelled(axis plot.Axis) plot.Axis {
	axis.Tick.Marker = relabelled(axis.Tick.Marker, func(float64) string { return "" })
	return axis
}

// relabelled returns the same ticks with other labels.
func relabelled(marker plot.Ticker, label func(value float64) string) plot.Ticker {
	return plot.TickerFunc(func(least, greatest float64) []plot.Tick {
		ticks := marker.Ticks(least, greatest)
		for i := range ticks {
			ticks[i].Label = label(ticks[i].Value)
		}
		return ticks
	})
}

// percentileAxis places a percentile p at 1/(1−p) on a logarithmic scale, so that
// each further nine takes the same room; beyond is the greatest 1/(1−p) shown.
func percentileAxis(label string, beyond float64) plot.Axis {
	axis := plot.Axis{Min: 1, Max: max(20, 1.6*beyond), Scale: logarithmic{}}
	axis.Label.Text = label
	axis.Tick.Marker = plot.TickerFunc(func(_, greatest float64) []plot.Tick {
		ticks := []plot.Tick{{Value: 1, Label: "0"}, {Value: 2, Label: "50"}}
		for nines := 1; math.Pow10(nines) <= greatest; nines++ {
			// 90, 99, 99.9 and so on.
			label := document.Decimals(100-math.Pow10(2-nines), max(0, nines-2))
			ticks = append(ticks, plot.Tick{Value: math.Pow10(nines), Label: label})
		}
		return ticks
	})
	return axis
}

// clockAxis runs from one second of a run to another; its ticks count from an origin.
func clockAxis(begin, end, origin float64) plot.Axis {
	axis := linearAxis(begin, end)
	axis.Tick.Marker = plot.TickerFunc(func(least, greatest float64) []plot.Tick {
		ticks := clockTicks(least-origin, greatest-origin)
		for i := range ticks {
			ticks[i].Value += origin
		}
		return ticks
	})
	return axis
}

// clockTicks are at whole seconds, minutes or hours, nine at most, in the greatest unit
// of which there are several.
func clockTicks(least, greatest float64) []plot.Tick {
	const most = 8
	unit, name := 1., " s"
	switch span := greatest - least; {
	case span > 4*3600:
		unit, name = 3600, " h"
	case span > 240:
		unit, name = 60, " min"
	}
	step := unit
	for _, factor := range []float64{2, 5, 10, 20, 30, 60, 120, 300, 600, 1e3, 1e4, 1e5, 1e6, 1e9, 1e12, 1e15} {
		if (greatest-least)/step <= most {
			break
		}
		step = unit * factor
	}
	var ticks []plot.Tick
	for i := math.Ceil(least / step); i*step <= greatest && len(ticks) <= most+1; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: document.Figures(i*step/unit) + name})
	}
	return ticks
}
