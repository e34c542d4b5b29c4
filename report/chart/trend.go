package chart

import (
	"math"
	"path/filepath"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// Trend is what became of some metrics over the nights of a scenario.
type Trend struct {
	Title, Subtitle string
	Metrics         []TrendMetric
	// Breaks are where another series of nights begins, which is not to be compared
	// with the one before.
	Breaks []TrendStep
}

// TrendMetric is one panel: a line for each series, in the unit "us", "share",
// "per_second" or none.
type TrendMetric struct {
	Name, Unit string
	Lines      [][]TrendPoint
	Steps      []TrendStep
	// Levels are the means between the steps.
	Levels []TrendLevel
}

// TrendPoint is a metric on a night.
type TrendPoint struct {
	At    time.Time
	Value float64
}

// TrendStep is the first night after a step, and by how much the metric steps.
type TrendStep struct {
	At    time.Time
	Words string
}

// TrendLevel is a mean over the nights from one to another.
type TrendLevel struct {
	From, To time.Time
	Value    float64
}

// mostTrends is how many metrics are drawn below one another.
const mostTrends = 12

// DrawTrend writes a trend into one file, whose name ends in .png or .svg: a panel for each
// metric, all over the same days. Its error wraps results.ErrWrite.
func DrawTrend(folder results.Folder, name string, trend *Trend) error {
	f := &figure{title: clean(trend.Title, 2*longestKey), subtitle: clean(trend.Subtitle, 3*longestKey)}
	metrics := trend.Metrics[:min(len(trend.Metrics), mostTrends)]
	first, last := math.Inf(1), math.Inf(-1)
	for i := range metrics {
		for _, at := range metrics[i].points() {
			first, last = min(first, at.x), max(last, at.x)
		}
	}
	for i := range metrics {
		f.panels = append(f.panels, metrics[i].panel(trend.Breaks, first, last, i == len(metrics)-1))
	}
	if len(metrics) == 0 {
		f.panels = []panel{{heading: "Nights", share: 1, sentence: "no data: no metric was asked for"}}
	}
	f.height = 90 + 130*vg.Length(max(2, len(f.panels)))
	encode := encodePNG
	if strings.EqualFold(filepath.Ext(name), ".svg") {
		encode = encodeSVG
	}
	return keep(folder, name, f, encode)
}

// points returns the nights of all lines that have a value.
func (m *TrendMetric) points() []point {
	var list []point
	for _, line := range m.Lines {
		list = append(list, drawable(line)...)
	}
	return list
}

// drawable returns those nights of a line that have a value.
func drawable(line []TrendPoint) []point {
	var list []point
	for _, p := range line {
		if !math.IsNaN(p.Value) && !math.IsInf(p.Value, 0) {
			list = append(list, point{day(p.At), p.Value})
		}
	}
	return list
}

func day(at time.Time) float64 { return float64(at.Unix()) / secondsADay }

const secondsADay = 24 * 60 * 60

// breakRow is how far below the names of steps those of series stand.
const breakRow vg.Length = 12

func (m *TrendMetric) panel(breaks []TrendStep, first, last float64, lowest bool) panel {
	p := panel{heading: clean(m.Name, longestName), share: 1}
	nights := m.points()
	if len(nights) == 0 {
		p.sentence = "no data: no night tells " + clean(m.Name, longestName)
		return p
	}
	margin := max(0.5, 0.02*(last-first))
	x := linearAxis(first-margin, last+margin)
	x.Tick.Marker = plot.TickerFunc(dayTicks)
	p.below = "night, by the date (UTC) on which it began"
	if !lowest {
		x, p.below = unlabelled(x), ""
	} else {
		p.share = 1.25
	}
	y, fromNought := m.axis(nights)
	if !fromNought {
		p.heading += " (the axis does not begin at 0)"
	}
	marker := dots{nightInk, 2.5, nights}
	step := line{style: stroke(1.4, stepInk)}
	level := line{style: stroke(1.2, fadedInk)}
	p.legend = []entry{{"median of a night", marker}}
	p.plot = newPlot(x, y)
	begins := p.addDays(breaks, stroke(1, fadedInk, 2, 3), breakRow, write(tickSize, fadedInk))
	words := p.addDays(m.Steps, step.style, 0, writeBold(tickSize, stepInk))
	for _, l := range m.Levels {
		p.plot.Add(line{level.style, []point{{day(l.From), l.Value}, {day(l.To), l.Value}}})
	}
	for _, nights := range m.Lines {
		p.plot.Add(line{stroke(1, nightInk), drawable(nights)})
	}
	p.plot.Add(marker, begins, words)
	if len(m.Levels) > 0 {
		p.legend = append(p.legend, entry{"mean between steps", level})
	}
	if len(m.Steps) > 0 {
		p.legend = append(p.legend, entry{"step", step})
	}
	return p
}

// addDays draws a line at each of the days, and returns what is said beside them, so far
// below the top.
func (p *panel) addDays(days []TrendStep, style draw.LineStyle, below vg.Length, words text.Style) notes {
	named := notes{style: words}
	for _, one := range days {
		at, top := day(one.At), p.plot.Y.Max
		p.plot.Add(line{style, []point{{at, p.plot.Y.Min}, {at, top}}})
		named.list = append(named.list, note{point{at, top}, vg.Point{X: 4, Y: -2 - below}, draw.XLeft, draw.YTop, clean(one.Words, longestName)})
	}
	return named
}

// axis returns the vertical axis of the metric, and whether it begins at 0: where the
// nights lie close together, they are looked at closely, but never so that less than a
// tenth of them fills the panel.
func (m *TrendMetric) axis(nights []point) (plot.Axis, bool) {
	least, greatest := nights[0].y, nights[0].y
	for _, night := range nights {
		least, greatest = min(least, night.y), max(greatest, night.y)
	}
	const close, narrowest, headroom = 0.5, 0.1, 0.15
	span := max(greatest-least, narrowest*greatest)
	from, to := (least+greatest-span)/2-headroom*span, (least+greatest+span)/2+2*headroom*span
	fromNought := !(least > close*greatest)
	if fromNought {
		from, to = min(0, least), greatest+2*headroom*(greatest-min(0, least))
	}
	if to <= from {
		// Always 0: an axis of so much that its labels are plain.
		to = from + 1
		if m.Unit == "share" {
			to = from + 0.01
		}
	}
	axis := linearAxis(from, to)
	axis.Tick.Marker = relabelled(axis.Tick.Marker, func(value float64) string {
		switch m.Unit {
		case "us":
			return document.RoundTime(value)
		case "share":
			return document.Figures(100*value) + " %"
		case "per_second":
			return document.Figures(value) + "/s"
		default:
			return document.Figures(value)
		}
	})
	return axis, fromNought
}

// dayTicks are at whole days, eight labels at most.
func dayTicks(least, greatest float64) []plot.Tick {
	const most = 8
	step := 1.0
	for _, days := range []float64{2, 7, 14, 28, 91, 182, 364, 3640, 36400} {
		if (greatest-least)/step <= most {
			break
		}
		step = days
	}
	var ticks []plot.Tick
	for at := math.Ceil(least/step) * step; at <= greatest && len(ticks) <= most; at += step {
		ticks = append(ticks, plot.Tick{Value: at, Label: time.Unix(int64(at)*secondsADay, 0).UTC().Format(time.DateOnly)})
	}
	return ticks
}
