package chart

import (
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"

	"loadgen/report/document"
)

// Trend is metrics over the nights of a scenario.
type Trend struct {
	Title, Subtitle string
	Metrics         []TrendMetric
	// Breaks are the begins of other series of nights, which cannot be compared with the series before.
	Breaks []TrendPoint
}

// TrendMetric is one panel: a line for each series, in the unit "us", "share", "per_second" or none.
type TrendMetric struct {
	Name, Unit string
	Lines      [][]TrendPoint
	// Steps are the first nights after a step, with its size in words. Levels are the means between the steps.
	Steps  []TrendPoint
	Levels [][]TrendPoint
}

// TrendPoint is a metric on a night, or what happened then.
type TrendPoint struct {
	At    time.Time
	Value float64
	Words string
}

// maxTrends is the maximum number of metrics that are drawn.
const maxTrends = 12

// Figure returns the trend with a panel for each metric, all over the same days.
func (trend *Trend) Figure() *Figure {
	f := newFigure()
	f.Title, f.subtitle = clean(trend.Title, 2*maxKey), clean(trend.Subtitle, 3*maxKey)
	metrics := trend.Metrics[:min(len(trend.Metrics), maxTrends)]
	var nights [][]point
	for i := range metrics {
		nights = append(nights, drawable(metrics[i].Lines...))
	}
	first, last := bounds(nights...)
	margin := max(0.5, 0.02*(last.x-first.x))
	for i := range metrics {
		f.panels = append(f.panels, metrics[i].panel(trend.Breaks, first.x-margin, last.x+margin))
	}
	f.labelLast("night, by the date (UTC) on which it began", 0.25)
	f.stackStrips(130, 2, noData("Nights", "no metric was selected"))
	return f
}

// drawable returns the nights of lines that have a value.
func drawable(lines ...[]TrendPoint) []point {
	var list []point
	for _, p := range slices.Concat(lines...) {
		if !math.IsNaN(p.Value) && !math.IsInf(p.Value, 0) {
			list = append(list, point{day(p.At), p.Value})
		}
	}
	return list
}

const secondsPerDay = 24 * 60 * 60

func day(at time.Time) float64 { return float64(at.Unix()) / secondsPerDay }

func (m *TrendMetric) panel(breaks []TrendPoint, from, to float64) panel {
	name := clean(m.Name, maxName)
	p := noData(name, "no night has "+name)
	nights := drawable(m.Lines...)
	if len(nights) == 0 {
		return p
	}
	x := linearAxis(from, to)
	x.Tick.Marker = plot.TickerFunc(dayTicks)
	y, fromZero := m.axis(nights)
	if !fromZero {
		p.heading += " (the axis does not begin at 0)"
	}
	p.plot = newPlot(x, y, "")
	step, level := series{LineStyle: stroke(1.4, stepInk)}, series{LineStyle: stroke(1.2, fadedInk)}
	for _, one := range breaks {
		p.addMark(mark{day(one.At), clean(one.Words, maxName), 14}, write(tickSize, fadedInk), stroke(1, fadedInk, 2, 3))
	}
	for _, one := range m.Steps {
		p.addMark(mark{day(one.At), clean(one.Words, maxName), 2}, writeBold(tickSize, stepInk), step.LineStyle)
	}
	for _, line := range m.Levels {
		p.plot.Add(series{LineStyle: level.LineStyle, points: drawable(line)})
	}
	for _, line := range m.Lines {
		p.plot.Add(series{LineStyle: stroke(1, nightInk), points: drawable(line)})
	}
	median := series{LineStyle: stroke(0, nightInk), points: nights, radius: 2.5}
	p.plot.Add(median)
	p.legend = []entry{{"median of a night", median}}
	if len(m.Levels) > 0 {
		p.legend = append(p.legend, entry{"mean between steps", level})
	}
	if len(m.Steps) > 0 {
		p.legend = append(p.legend, entry{"step", step})
	}
	return p
}

// axis returns the vertical axis of the metric, and whether it begins at 0. If the nights are close together, the axis
// is magnified, but by no more than ten times.
func (m *TrendMetric) axis(nights []point) (plot.Axis, bool) {
	lowest, highest := bounds(nights)
	low, high := lowest.y, highest.y
	const close, minSpan, headroom = 0.5, 0.1, 0.15
	span := max(high-low, minSpan*high)
	from, to := (low+high-span)/2-headroom*span, (low+high+span)/2+2*headroom*span
	fromZero := !(low > close*high)
	if fromZero {
		from, to = min(0, low), high+2*headroom*(high-min(0, low))
	}
	label, unit := document.Figures, 1.
	switch m.Unit {
	case "us":
		label = document.RoundTime
	case "share":
		label, unit = func(value float64) string { return document.Figures(100*value) + "%" }, .01
	case "per_second":
		label = func(value float64) string { return document.Figures(value) + "/s" }
	}
	if to <= from {
		to = from + unit // all values are 0: an axis with simple labels
	}
	return relabelled(linearAxis(from, to), label), fromZero
}

// dayTicks returns ticks at whole days, at most nine labels.
func dayTicks(from, to float64) []plot.Tick {
	steps := []float64{1, 2, 7, 14, 28, 91, 182, 364, 3640, 36400}
	return evenTicks(from, to, steps, 8, func(at float64) string {
		return time.Unix(int64(at)*secondsPerDay, 0).UTC().Format(time.DateOnly)
	})
}
