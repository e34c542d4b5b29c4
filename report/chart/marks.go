package chart

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// grid draws a faint line at each labelled tick of the vertical axis.
type grid struct{}

// Plot implements plot.Plotter.
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.IsMinor() || tick.Value <= p.Y.Min {
			continue
		}
		y := c.Y(p.Y.Norm(tick.Value))
		c.StrokeLine2(stroke(0.6, gridInk), c.Min.X, y, c.Max.X, y)
	}
}

// column is a bar of parts that stand on one another, lowest first.
type column struct {
	from, to float64
	parts    []float64
}

// columns draws bars; part i of each has the colour i.
type columns struct {
	colours []ink
	bars    []column
}

// Plot implements plot.Plotter. Edges lie on a fixed grid, since two neighbours
// that share a fraction of a pixel would let the paper shine through.
func (cs columns) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, bar := range cs.bars {
		left, right := snap(x(bar.from)), snap(x(bar.to))
		right = max(right, left+grain)
		if right-left >= 8*grain {
			right -= grain
		}
		sum, bottom := 0.0, c.Min.Y
		for i, part := range bar.parts {
			if !(part > 0) {
				continue
			}
			sum += part
			// What occurred at all stays visible beside what occurred often.
			top := min(max(y(sum), bottom+hair), c.Max.Y)
			fill(&c, cs.colours[i], left, bottom, right, top)
			bottom = top
		}
	}
}

// grain is the width of a pixel of the PNG in points, hair the height of the
// least part of a bar.
const (
	grain = vg.Inch / dotsPerInch
	hair  = vg.Length(0.75)
)

func snap(at vg.Length) vg.Length {
	return grain * vg.Length(math.Round(float64(at/grain)))
}

func fill(c *draw.Canvas, colour ink, left, bottom, right, top vg.Length) {
	var path vg.Path
	path.Move(vg.Point{X: left, Y: bottom})
	path.Line(vg.Point{X: right, Y: bottom})
	path.Line(vg.Point{X: right, Y: top})
	path.Line(vg.Point{X: left, Y: top})
	path.Close()
	c.SetColor(colour)
	c.Fill(path)
}

// line joins points, in data coordinates; it is also its own sample in a legend.
type line struct {
	style  draw.LineStyle
	points []point
}

type point struct{ x, y float64 }

// Plot implements plot.Plotter.
func (l line) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	path := make([]vg.Point, len(l.points))
	for i, at := range l.points {
		path[i] = vg.Point{X: x(at.x), Y: y(at.y)}
	}
	if len(path) > 1 {
		c.StrokeLines(l.style, path)
	}
}

// Thumbnail implements plot.Thumbnailer.
func (l line) Thumbnail(c *draw.Canvas) {
	middle := c.Center().Y
	c.StrokeLine2(l.style, c.Min.X, middle, c.Max.X, middle)
}

// dots are round marks with a paper-coloured rim, so that they stand out from
// lines and bars of their own colour; they are their own sample in a legend.
type dots struct {
	colour ink
	radius vg.Length
	points []point
}

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range d.points {
		d.dot(&c, vg.Point{X: x(at.x), Y: y(at.y)})
	}
}

func (d dots) dot(c *draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: paperInk, Radius: d.radius + 1, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.colour, Radius: d.radius, Shape: draw.CircleGlyph{}}, at)
}

// Thumbnail implements plot.Thumbnailer.
func (d dots) Thumbnail(c *draw.Canvas) { d.dot(c, c.Center()) }

// swatch is the sample of a colour in a legend.
type swatch ink

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	fill(c, ink(s), middle.X-swatchSide/2, middle.Y-swatchSide/2, middle.X+swatchSide/2, middle.Y+swatchSide/2)
}

// swatchSide is how wide and high a swatch is.
const swatchSide vg.Length = 9

// Thumbnail implements plot.Thumbnailer.
func (nothing) Thumbnail(*draw.Canvas) {}
