package chart

import (
	"fmt"
	"image"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// linear and logarithmic are scales that clamp values to the axis: whatever a record contains, no coordinate outside
// its panel reaches a canvas. NaN is at the beginning.
type (
	linear      struct{}
	logarithmic struct{}
)

// Normalize implements plot.Normalizer.
func (linear) Normalize(from, to, x float64) float64 { return clampToUnit((x - from) / (to - from)) }

// Normalize implements plot.Normalizer; from must be above 0.
func (logarithmic) Normalize(from, to, x float64) float64 {
	return clampToUnit(math.Log(x/from) / math.Log(to/from))
}

// clampToUnit returns v within 0 to 1, and 0 for NaN.
func clampToUnit(v float64) float64 {
	if !(v > 0) {
		return 0
	}
	return min(v, 1)
}

// newPlot returns an empty plot in the style of all charts, with a label of its vertical axis.
func newPlot(x, y plot.Axis, label string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for to, from := range map[*plot.Axis]plot.Axis{&p.X: x, &p.Y: y} {
		to.Min, to.Max, to.Scale = from.Min, from.Max, from.Scale
		to.Tick.Marker = from.Tick.Marker
		to.Padding = 0
		to.LineStyle = stroke(0.8, axisInk)
		to.Tick.LineStyle = stroke(0.8, axisInk)
		to.Tick.Length = 5
		to.Tick.Label = align(write(tickSize, textInk), to.Tick.Label.XAlign, to.Tick.Label.YAlign)
		to.Label.TextStyle = align(write(labelSize, textInk), draw.XCenter, draw.YBottom)
		to.Label.Padding = vg.Points(3)
	}
	p.Y.Label.Text = label
	p.Add(gridLines{})
	return p
}

// countAxis runs from 0 to the highest value times the headroom.
func countAxis(highest, headroom float64) plot.Axis {
	if !(highest > 0) || math.IsInf(highest, 0) {
		highest = 1
	}
	return linearAxis(0, highest*headroom)
}

// linearAxis runs between two values, or a little further if to is not above from.
func linearAxis(from, to float64) plot.Axis {
	if !(to > from) {
		to = from + max(1, math.Abs(from)/1000)
	}
	return newAxis(from, to, linear{}, linearTicks)
}

func newAxis(from, to float64, scale plot.Normalizer, ticks plot.TickerFunc) plot.Axis {
	axis := plot.Axis{Min: from, Max: to, Scale: scale}
	axis.Tick.Marker = ticks
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
	from = max(shortest, from/widen)
	return newAxis(from, max(to*widen, 10*from), logarithmic{}, timeTicks)
}

// timeTicks labels the powers of ten, on a short axis also two and five times them, and adds ticks without labels
// between them.
func timeTicks(from, to float64) []plot.Tick {
	const shortAxis = 1.7 // decades
	isShort := math.Log10(to/from) < shortAxis
	var ticks []plot.Tick
	for power := int(math.Floor(math.Log10(from))); math.Pow10(power) <= to; power++ {
		for digit := 1; digit <= 9; digit++ {
			tick := plot.Tick{Value: float64(digit) * math.Pow10(power)}
			if digit == 1 || isShort && (digit == 2 || digit == 5) {
				tick.Label = document.RoundTime(tick.Value)
			}
			if tick.Value >= from && tick.Value <= to {
				ticks = append(ticks, tick)
			}
		}
	}
	return ticks
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

// percentileAxis places a percentile p at 1/(1−p) on a logarithmic scale, so that each further nine takes the same
// room. maxOdds is the greatest 1/(1−p) shown.
func percentileAxis(maxOdds float64) plot.Axis {
	return newAxis(1, max(20, 1.6*maxOdds), logarithmic{}, func(_, to float64) []plot.Tick {
		ticks := []plot.Tick{{Value: 1, Label: "0"}, {Value: 2, Label: "50"}}
		for nines := 1; math.Pow10(nines) <= to; nines++ {
			// 90, 99, 99.9 and so on.
			label := document.Decimals(100-math.Pow10(2-nines), max(0, nines-2))
			ticks = append(ticks, plot.Tick{Value: math.Pow10(nines), Label: label})
		}
		return ticks
	})
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

// timeline is the time that an axis shows, in seconds of the run: busy stretches in order. The idle time between two of
// them is left out of the axis, which has a narrow break there. A timeline of several stretches is a scale.
type timeline []stretch

type stretch struct{ from, to float64 }

func (s stretch) length() float64 { return s.to - s.from }

const (
	// minBreak is the length in seconds of the shortest idle time that an axis leaves out, breakShare its minimum share
	// of the time that is not idle, and maxBreaks the maximum number of breaks: an axis with more leaves out nothing.
	minBreak   = 30
	breakShare = 1. / 20
	maxBreaks  = 12
	// breakWidth is the width of a break as a share of the stretches together.
	breakWidth = .02
)

// newTimeline returns the time between two seconds of a record without the long stretches in which nothing was sent,
// answered or awaited. A stretch begins and ends at multiples of a unit in seconds.
func newTimeline(record *results.Record, from, to, unit float64) timeline {
	var idle []stretch
	busy, end, next := to-from, from, int64(from)
	for i := range record.Intervals {
		row := &record.Intervals[i]
		begin := float64(row.Second)
		if row.Second > next && !record.IsIdle(next, row.Second) {
			end = max(end, begin) // seconds that are missing are not idle
		}
		next = max(next, row.End())
		if row.Scheduled+row.Attempts+row.Operations+row.Served+row.InFlight == 0 || begin >= to {
			continue
		}
		gap := stretch{math.Ceil(end/unit) * unit, math.Floor(begin/unit) * unit}
		if end > from && gap.length() >= minBreak {
			idle, busy = append(idle, gap), busy-gap.length()
		}
		end = max(end, float64(row.End()))
	}
	idle = slices.DeleteFunc(idle, func(gap stretch) bool { return gap.length() < breakShare*busy })
	if len(idle) > maxBreaks {
		idle = nil
	}
	line := timeline{{from, to}}
	for _, gap := range idle {
		line[len(line)-1].to = gap.from
		line = append(line, stretch{gap.to, to})
	}
	return line
}

func (t timeline) begin() float64 { return t[0].from }
func (t timeline) end() float64   { return t[len(t)-1].to }

// position returns the length of the stretches before a second, and the number of breaks between them.
func (t timeline) position(second float64) (length float64, breaks int) {
	for i, s := range t {
		if second >= s.from {
			length, breaks = length+min(second, s.to)-s.from, i
		}
	}
	return length, breaks
}

// busy returns the length of all stretches.
func (t timeline) busy() float64 {
	length, _ := t.position(t.end())
	return length
}

// Normalize implements plot.Normalizer for a timeline with breaks.
func (t timeline) Normalize(_, _, x float64) float64 {
	at, breaks := t.position(x)
	width := breakWidth * t.busy()
	return clampToUnit((at + width*float64(breaks)) / (t.busy() + width*float64(len(t)-1)))
}

// axis returns the axis of the timeline. Its ticks count from an origin if it has no breaks.
func (t timeline) axis(origin float64) plot.Axis {
	axis := linearAxis(t.begin(), t.end())
	if len(t) > 1 {
		axis.Scale, axis.Tick.Marker = t, plot.TickerFunc(t.ticks)
		return axis
	}
	axis.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick {
		ticks := clockTicks(from-origin, to-origin)
		for i := range ticks {
			ticks[i].Value += origin
		}
		return ticks
	})
	return axis
}

// ticks returns the ticks of a timeline with breaks: at the beginning of each stretch, and between if they fit.
func (t timeline) ticks(from, to float64) []plot.Tick {
	const minDistance = .12 // of the axis
	var seconds []float64
	for _, s := range t {
		seconds = append(seconds, s.from)
	}
	steps := []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400}
	if at := slices.IndexFunc(steps, func(step float64) bool { return t.busy()/step <= 8 }); at >= 0 {
		for _, s := range t {
			for second := math.Ceil(s.from/steps[at]) * steps[at]; second <= s.to; second += steps[at] {
				seconds = append(seconds, second)
			}
		}
	}
	var ticks []plot.Tick
	for _, second := range seconds {
		isNear := func(other plot.Tick) bool {
			return math.Abs(t.Normalize(from, to, second)-t.Normalize(from, to, other.Value)) < minDistance
		}
		if !slices.ContainsFunc(ticks, isNear) {
			s := int64(second)
			ticks = append(ticks, plot.Tick{Value: second, Label: fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)})
		}
	}
	return ticks
}

// Plot implements plot.Plotter. It interrupts the axis with two slanted strokes at each break.
func (t timeline) Plot(c draw.Canvas, p *plot.Plot) {
	const half, height vg.Length = 2, 3
	x, _ := p.Transforms(&c)
	for i := 1; i < len(t); i++ {
		left, right := x(t[i-1].to), x(t[i].from)
		fill(&c, paperInk, left, c.Min.Y-1, right, c.Max.Y)
		for _, side := range []vg.Length{left, right} {
			c.StrokeLine2(stroke(0.6, gridInk), side, c.Min.Y, side, c.Max.Y)
			at := (left+right)/2 + half*(2*(side-left)/(right-left)-1)
			c.StrokeLine2(stroke(1, axisInk), at-half, c.Min.Y-height, at+half, c.Min.Y+height)
		}
	}
}

// sinceStart names the time axis of a run.
const sinceStart = "time since the start of the run"

// addBreaks marks the breaks of the timeline in a panel, and explains them in its legend.
func (p *panel) addBreaks(t timeline) {
	if len(t) < 2 {
		return
	}
	p.plot.Add(t)
	idle := document.Minutes(t.end() - t.begin() - t.busy())
	p.legend = append(p.legend, entry{"// " + idle + " idle, not shown", nil})
}

// columns are the columns of a heat map over a timeline: each stretch has whole columns.
type columns struct {
	line timeline
	// Length is that of a column in seconds, count the number of columns.
	Length int64
	count  int
}

// newColumns divides a timeline into columns of a length. It extends each stretch to whole columns.
func newColumns(t timeline, length int64) columns {
	c := columns{line: slices.Clone(t), Length: length}
	for i, s := range t {
		n := max(1, math.Ceil(s.length()/float64(length)))
		c.count += int(n)
		c.line[i].to = s.from + float64(length)*n
	}
	return c
}

// index returns the number of columns before a second.
func (c *columns) index(second float64) int {
	busy, _ := c.line.position(second)
	return int(busy / float64(c.Length))
}

// addCells draws a picture with these columns between two heights of the plot.
func (c *columns) addCells(p *plot.Plot, bottom, top float64, cells *image.Paletted) {
	for _, s := range c.line {
		part := cells.SubImage(image.Rect(c.index(s.from), 0, c.index(s.to), cells.Rect.Dy())).(*image.Paletted)
		p.Add(raster{s.from, bottom, s.to, top, part})
	}
}
