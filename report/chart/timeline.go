package chart

import (
	"cmp"
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

// timeline is the time that an axis shows, in seconds of the run: busy stretches in order. The idle time between two of
// them is left out of the axis, which has a narrow break there. A timeline of several stretches is a scale.
type timeline []stretch

type stretch struct{ from, to float64 }

func (s stretch) length() float64 { return s.to - s.from }

const (
	// minBreak is the length in seconds of the shortest idle time that an axis leaves out, breakShare the share of
	// the axis that it has to take, and maxBreaks the maximum number of breaks.
	minBreak   = 30
	breakShare = 1. / 20
	maxBreaks  = 12
	// breakWidth is the width of a break as a share of the stretches together.
	breakWidth = .02
)

// newTimeline returns the time between two seconds of a record without the long stretches in which nothing was sent,
// answered or awaited.
func newTimeline(record *results.Record, from, to float64) timeline {
	var idle []stretch
	end := from
	for i := range record.Intervals {
		row := &record.Intervals[i]
		begin := float64(row.Second)
		if row.Scheduled+row.Attempts+row.Operations+row.Served+row.InFlight == 0 || begin >= to {
			continue
		}
		if end > from && begin-end >= minBreak {
			idle = append(idle, stretch{end, begin})
		}
		end = max(end, float64(row.End()))
	}
	slices.SortStableFunc(idle, func(a, b stretch) int { return cmp.Compare(b.length(), a.length()) })
	rest := to - from
	for i, gap := range idle {
		if i == maxBreaks || gap.length() < breakShare*rest {
			idle = idle[:i]
			break
		}
		rest -= gap.length()
	}
	slices.SortFunc(idle, func(a, b stretch) int { return cmp.Compare(a.from, b.from) })
	line := timeline{{from, to}}
	for _, gap := range idle {
		line[len(line)-1].to = gap.from
		line = append(line, stretch{gap.to, to})
	}
	return line
}

// widen extends the stretches to multiples of a length in seconds.
func (t timeline) widen(length float64) timeline {
	var whole timeline
	for _, s := range t {
		s = stretch{math.Floor(s.from/length) * length, math.Ceil(s.to/length) * length}
		if last := len(whole) - 1; last >= 0 && s.from <= whole[last].to {
			whole[last].to = s.to
		} else {
			whole = append(whole, s)
		}
	}
	return whole
}

func (t timeline) from() float64 { return t[0].from }
func (t timeline) to() float64   { return t[len(t)-1].to }

// busy returns the length of all stretches.
func (t timeline) busy() (sum float64) {
	for _, s := range t {
		sum += s.length()
	}
	return sum
}

// find returns the index of the stretch that contains a second, −1 if the axis leaves it out.
func (t timeline) find(second float64) int {
	return slices.IndexFunc(t, func(s stretch) bool { return s.from <= second && second < s.to })
}

// Normalize implements plot.Normalizer for a timeline with breaks. Idle time is at the left end of its break.
func (t timeline) Normalize(_, _, x float64) float64 {
	busy := t.busy()
	width := busy * (1 + breakWidth*float64(len(t)-1))
	at := 0.
	for i, s := range t {
		if !(x >= s.from) {
			break
		}
		if i > 0 {
			at += breakWidth * busy
		}
		at += min(x, s.to) - s.from
	}
	return clampToUnit(at / width)
}

// axis returns the axis of the timeline. Its ticks count from an origin.
func (t timeline) axis(origin float64) plot.Axis {
	axis := linearAxis(t.from(), t.to())
	axis.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick {
		ticks := clockTicks(from-origin, to-origin)
		for i := range ticks {
			ticks[i].Value += origin
		}
		return ticks
	})
	if len(t) > 1 {
		axis.Scale, axis.Tick.Marker = t, plot.TickerFunc(t.ticks)
	}
	return axis
}

// ticks returns the ticks of a timeline with breaks: at the begin of each stretch, and where there is room between.
func (t timeline) ticks(from, to float64) []plot.Tick {
	const minDistance = .09 // of the axis
	var ticks []plot.Tick
	add := func(second float64) {
		place := t.Normalize(from, to, second)
		isNear := func(other plot.Tick) bool {
			distance := place - t.Normalize(from, to, other.Value)
			return distance < minDistance && distance > -minDistance
		}
		if !slices.ContainsFunc(ticks, isNear) {
			s := int64(second)
			label := fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
			ticks = append(ticks, plot.Tick{Value: second, Label: label})
		}
	}
	for _, s := range t {
		add(s.from)
	}
	for _, s := range t {
		for _, step := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600, 86400} {
			if t.busy()/step <= 8 {
				for _, tick := range evenTicks(s.from, s.to, []float64{step}, 8, document.Figures) {
					add(tick.Value)
				}
				break
			}
		}
	}
	return ticks
}

// breaks marks the breaks of a time axis. It is its own sample in a legend.
type breaks timeline

// Plot implements plot.Plotter.
func (b breaks) Plot(c draw.Canvas, p *plot.Plot) {
	x, _ := p.Transforms(&c)
	for i := 1; i < len(b); i++ {
		left, right := x(b[i-1].to), x(b[i].from)
		fill(&c, paperInk, left, c.Min.Y, right, c.Max.Y)
		for _, side := range []vg.Length{left, right} {
			c.StrokeLine2(stroke(0.6, gridInk), side, c.Min.Y, side, c.Max.Y)
		}
		b.mark(&c, (left+right)/2, c.Min.Y)
	}
}

// mark interrupts an axis with two slanted strokes.
func (b breaks) mark(c *draw.Canvas, x, y vg.Length) {
	const half, height vg.Length = 2, 3
	fill(c, paperInk, x-half, y-1, x+half, y+1)
	for _, side := range []vg.Length{x - half, x + half} {
		c.StrokeLine2(stroke(1, axisInk), side-half, y-height, side+half, y+height)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (b breaks) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	c.StrokeLine2(stroke(0.8, axisInk), c.Min.X, middle.Y, c.Max.X, middle.Y)
	b.mark(c, middle.X, middle.Y)
}

// below names a time axis.
func (t timeline) below(since string) string {
	if len(t) > 1 {
		return since + ", hours:minutes:seconds"
	}
	return since
}

// sinceStart names the time axis of a run.
const sinceStart = "time since the start of the run"

// addBreaks marks the breaks of the timeline in a panel, and explains them in its legend.
func (p *panel) addBreaks(t timeline) {
	if len(t) < 2 {
		return
	}
	p.plot.Add(breaks(t))
	idle := document.Minutes(t.to() - t.from() - t.busy())
	p.legend = append(p.legend, entry{idle + " without load left out", breaks(t)})
}

// columns are the columns of a heat map over a timeline: each stretch has whole columns.
type columns struct {
	line timeline
	// length is that of a column in seconds, first the index of the first column of each stretch, and at its end the
	// number of all columns.
	length int64
	first  []int
}

// newColumns divides a timeline into columns of a length. It extends each stretch to whole columns.
func newColumns(t timeline, length int64) columns {
	c := columns{slices.Clone(t), length, []int{0}}
	for i, s := range t {
		n := max(1, int(math.Ceil(s.length()/float64(length))))
		c.first = append(c.first, c.first[i]+n)
		c.line[i].to = s.from + float64(length)*float64(n)
	}
	return c
}

func (c *columns) count() int { return c.first[len(c.first)-1] }

// index returns the column of a second, the nearest one of a second that the timeline leaves out.
func (c *columns) index(second int64) int {
	i := len(c.line) - 1
	for i > 0 && float64(second) < c.line[i].from {
		i--
	}
	at := c.first[i] + int((second-int64(c.line[i].from))/c.length)
	return min(max(at, c.first[i]), c.first[i+1]-1)
}

// addCells draws a picture with these columns between two heights of the plot.
func (c *columns) addCells(p *plot.Plot, bottom, top float64, cells *image.Paletted) {
	for i, s := range c.line {
		part := cells
		if len(c.line) > 1 {
			part = cells.SubImage(image.Rect(c.first[i], 0, c.first[i+1], cells.Rect.Dy())).(*image.Paletted)
		}
		p.Add(raster{s.from, bottom, s.to, top, part})
	}
}
