package chart

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// Ratios are multiples with their intervals, in groups below one another on one logarithmic
// axis.
type Ratios struct {
	Title, Subtitle string
	// Below names the axis.
	Below  string
	Groups []RatioGroup
}

// RatioGroup is one panel.
type RatioGroup struct {
	Name string
	Rows []RatioRow
}

// RatioRow is one multiple, above 0, from Low to High, and the bound that it is held to, 0 for
// none.
type RatioRow struct {
	Name, To         string
	Value, Low, High float64
	Aim              float64
	// Missed says that it is on the wrong side of Aim.
	Missed bool
}

// mostRatios is how many rows a group has at most.
const mostRatios = 40

// DrawRatios writes ratios as NAME.png and NAME.svg: a panel for each group, all over the same
// multiples. Its error wraps results.ErrWrite.
func DrawRatios(folder results.Folder, name string, r *Ratios) error {
	const row, head vg.Length = 15, 30
	f := &figure{title: clean(r.Title, 2*longestKey), subtitle: clean(r.Subtitle, 4*longestKey), height: 80}
	least, most := 1., 1.
	for _, group := range r.Groups {
		for _, one := range group.Rows[:min(len(group.Rows), mostRatios)] {
			for _, v := range []float64{one.Low, one.Value, one.High, one.Aim} {
				if v > 0 && !math.IsInf(v, 0) {
					least, most = min(least, v), max(most, v)
				}
			}
		}
	}
	// The axis is labelled at 1, 2 and 5 times powers of ten.
	multiple := plot.Axis{Min: least / 1.25, Max: most * 1.6, Scale: logarithmic{}}
	multiple.Tick.Marker = plot.TickerFunc(func(from, to float64) []plot.Tick {
		var ticks []plot.Tick
		for power := int(math.Floor(math.Log10(from))); math.Pow10(power) <= to; power++ {
			for _, digit := range []float64{1, 2, 5} {
				if v := digit * math.Pow10(power); v >= from && v <= to {
					ticks = append(ticks, plot.Tick{Value: v, Label: document.Decimals(v, max(0, -power)) + " ×"})
				}
			}
		}
		return ticks
	})
	for i := range r.Groups {
		rows := r.Groups[i].Rows[:min(len(r.Groups[i].Rows), mostRatios)]
		p := panel{heading: clean(r.Groups[i].Name, longestKey), share: head + row*vg.Length(len(rows))}
		x := multiple
		if i == len(r.Groups)-1 {
			p.below, p.share = clean(r.Below, longestKey), p.share+30
		} else {
			x = unlabelled(x)
		}
		axis := plot.Axis{Min: -.5, Max: float64(len(rows)) - .5, Scale: linear{}}
		axis.Tick.Marker = plot.TickerFunc(func(float64, float64) []plot.Tick {
			var ticks []plot.Tick
			for i := range rows {
				name := clean(strings.TrimSpace(rows[i].Name+"   "+rows[i].To), 3*longestName)
				ticks = append(ticks, plot.Tick{Value: float64(len(rows) - 1 - i), Label: name})
			}
			return ticks
		})
		p.plot = newPlot(x, axis)
		p.plot.Add(line{stroke(1, axisInk), []point{{1, -.5}, {1, float64(len(rows)) - .5}}}, multiples{rows})
		if i == 0 {
			p.legend = []entry{{"median, interval of 95 %", dots{colour: servedInk, radius: 3}}, {"misses its aim", dots{colour: throttledInk, radius: 3}}, {"aim", aimMark{}}}
		}
		f.panels = append(f.panels, p)
		f.height += p.share + panelGap
	}
	if len(f.panels) == 0 {
		f.panels = []panel{{heading: "Ratios", share: 1, sentence: "no data: nothing was compared"}}
		f.height = 0
	}
	_, err := save(folder, []drawing{{name, f}}, "")
	return err
}

// multiples are the rows of a group.
type multiples struct{ rows []RatioRow }

// Plot implements plot.Plotter.
func (m multiples) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	values := notes{style: write(tickSize, textInk)}
	for i, one := range m.rows {
		at := float64(len(m.rows) - 1 - i)
		colour := servedInk
		if one.Missed {
			colour = throttledInk
		}
		line{stroke(2, colour), []point{{one.Low, at}, {one.High, at}}}.Plot(c, p)
		dots{colour, 3, []point{{one.Value, at}}}.Plot(c, p)
		if one.Aim > 0 {
			aimMark{}.at(&c, vg.Point{X: x(one.Aim), Y: y(at)})
		}
		// What stands right of the row would stand on the aim, were that just there.
		const near = 1.5
		words := note{point{max(one.High, one.Value), at}, vg.Point{X: 6}, draw.XLeft, draw.YCenter, document.Times(one.Value)}
		if right := words.at.x; one.Aim > right && one.Aim < near*right {
			words.at.x, words.off.X, words.alignX = min(one.Low, one.Value), -6, draw.XRight
		}
		values.list = append(values.list, words)
	}
	values.Plot(c, p)
}

// aimMark is a short upright line where a row is held.
type aimMark struct{}

func (aimMark) at(c *draw.Canvas, where vg.Point) {
	const half vg.Length = 6
	c.StrokeLine2(stroke(1.6, targetInk), where.X, where.Y-half, where.X, where.Y+half)
}

// Thumbnail implements plot.Thumbnailer.
func (m aimMark) Thumbnail(c *draw.Canvas) { m.at(c, c.Center()) }
