package chart

import (
	"math"

	"gonum.org/v1/plot"
)

// clockAxis runs from the start of a run to so many seconds after it.
func clockAxis(end float64) plot.Axis {
	axis := linearAxis(0, end)
	axis.Tick.Marker = plot.TickerFunc(clockTicks)
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
	for _, factor := range []float64{2, 5, 10, 15, 30, 60, 120, 240, 480, 1e3, 1e4, 1e5, 1e6, 1e9, 1e12, 1e15} {
		if (greatest-least)/step <= most {
			break
		}
		step = unit * factor
	}
	var ticks []plot.Tick
	for i := math.Ceil(least / step); i*step <= greatest && len(ticks) <= most+1; i++ {
		ticks = append(ticks, plot.Tick{Value: i * step, Label: number(i*step/unit) + name})
	}
	return ticks
}
