package chart

import (
	"image"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// All charts have the same drawings: a series is a line, dots or both; an area is the band between two series; bars are
// stacked; a raster is heat; notes are texts.

// point is a point of the data.
type point struct{ x, y float64 }

// bounds returns the lowest and the highest coordinates of points, +Inf and −Inf of none.
func bounds(lists ...[]point) (low, high point) {
	low, high = point{math.Inf(1), math.Inf(1)}, point{math.Inf(-1), math.Inf(-1)}
	for _, at := range slices.Concat(lists...) {
		low, high = point{min(low.x, at.x), min(low.y, at.y)}, point{max(high.x, at.x), max(high.y, at.y)}
	}
	return low, high
}

// path returns points of the data on a canvas.
func path(c *draw.Canvas, p *plot.Plot, points []point) []vg.Point {
	x, y := p.Transforms(c)
	list := make([]vg.Point, len(points))
	for i, at := range points {
		list[i] = vg.Point{X: x(at.x), Y: y(at.y)}
	}
	return list
}

// gridLines draws a faint line at each labelled tick of the vertical axis.
type gridLines struct{}

// Plot implements plot.Plotter.
func (gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	for _, tick := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if tick.IsMinor() || tick.Value <= p.Y.Min {
			continue
		}
		y := c.Y(p.Y.Norm(tick.Value))
		c.StrokeLine2(stroke(0.6, gridInk), c.Min.X, y, c.Max.X, y)
	}
}

// series joins points by a line if that has a width, and marks them with dots if those have a radius. It is its own
// sample in a legend.
type series struct {
	draw.LineStyle
	points []point
	// radius is that of the dots, which have the colour of the line.
	radius vg.Length
}

// Plot implements plot.Plotter.
func (s series) Plot(c draw.Canvas, p *plot.Plot) {
	points := path(&c, p, s.points)
	if len(points) > 1 && s.Width > 0 {
		c.StrokeLines(s.LineStyle, points)
	}
	s.drawDots(&c, points...)
}

// Thumbnail implements plot.Thumbnailer.
func (s series) Thumbnail(c *draw.Canvas) {
	middle := c.Center()
	if s.radius > 0 {
		s.drawDots(c, middle)
		return
	}
	c.StrokeLine2(s.LineStyle, c.Min.X, middle.Y, c.Max.X, middle.Y)
}

// drawDots draws dots with a paper-coloured rim, which separates them from lines and bars of their own colour.
func (s series) drawDots(c *draw.Canvas, points ...vg.Point) {
	if s.radius > 0 {
		for _, at := range points {
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: paperInk, Radius: s.radius + 1, Shape: draw.CircleGlyph{}}, at)
			c.DrawGlyphNoClip(draw.GlyphStyle{Color: s.Color, Radius: s.radius, Shape: draw.CircleGlyph{}}, at)
		}
	}
}

// area fills the outline of points. It is its own sample in a legend.
type area struct {
	ink
	outline []point
}

// between returns the area between two lines that have their points at the same places.
func between(colour ink, from, to []point) area {
	back := slices.Clone(to)
	slices.Reverse(back)
	return area{colour, slices.Concat(from, back)}
}

// Plot implements plot.Plotter.
func (a area) Plot(c draw.Canvas, p *plot.Plot) { c.FillPolygon(a.ink, path(&c, p, a.outline)) }

// bar is a bar of parts that are stacked, the first one at the bottom.
type bar struct {
	from, to float64
	parts    []float64
}

// bars draws bars; part i of each has the colour i.
type bars struct {
	colours []ink
	list    []bar
}

// height returns the sum of the parts.
func (b *bar) height() (sum float64) {
	for _, part := range b.parts {
		sum += part
	}
	return sum
}

// highest returns the height of the highest bar.
func (bs bars) highest() (highest float64) {
	for i := range bs.list {
		highest = max(highest, bs.list[i].height())
	}
	return highest
}

// sum returns the sum of a part of all bars.
func (bs bars) sum(part int) (sum float64) {
	for _, b := range bs.list {
		sum += b.parts[part]
	}
	return sum
}

// addBars adds bars, and explains each part that occurs in the legend.
func (p *panel) addBars(drawn bars, words ...string) {
	p.plot.Add(drawn)
	for part, text := range words {
		if drawn.sum(part) > 0 {
			p.legend = append(p.legend, entry{text, drawn.colours[part]})
		}
	}
}

// Plot implements plot.Plotter. Edges are on whole pixels of the PNG, because the paper would shine through two
// neighbours that share a pixel.
func (bs bars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, b := range bs.list {
		left, right := snap(x(b.from)), snap(x(b.to))
		right = max(right, left+grain)
		if right-left >= 8*grain {
			right -= grain
		}
		sum, bottom := 0.0, c.Min.Y
		for i, part := range b.parts {
			if !(part > 0) {
				continue
			}
			sum += part
			// A rare part stays visible next to a frequent one.
			top := min(max(y(sum), bottom+hair), c.Max.Y)
			fill(&c, bs.colours[i], left, bottom, right, top)
			bottom = top
		}
	}
}

// grain is the width of a pixel of the PNG in points, hair the minimum height of a part of a bar.
const (
	grain = vg.Inch / dotsPerInch
	hair  = vg.Length(0.75)
)

func snap(at vg.Length) vg.Length { return grain * vg.Length(math.Round(float64(at/grain))) }

func fill(c *draw.Canvas, colour ink, left, bottom, right, top vg.Length) {
	c.FillPolygon(colour, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

// Thumbnail implements plot.Thumbnailer: an ink is its own sample in a legend.
func (i ink) Thumbnail(c *draw.Canvas) {
	const half vg.Length = 4.5
	middle := c.Center()
	fill(c, i, middle.X-half, middle.Y-half, middle.X+half, middle.Y+half)
}

// raster is a picture of cells that fills a rectangle of the data. As paths, the cells of a heat map would take an SVG
// of a megabyte.
type raster struct {
	left, bottom, right, top float64
	cells                    *image.Paletted
}

// newRaster returns a picture of columns and lines. Its colours are those of the scales, one scale after the other;
// index 0 is the ground.
func newRaster(columns, lines int, scales ...shades) *image.Paletted {
	colours := color.Palette{groundInk}
	for i := range scales {
		for step := 1; step <= steps; step++ {
			colours = append(colours, scales[i].colour(step))
		}
	}
	return image.NewPaletted(image.Rect(0, 0, columns, lines), colours)
}

// Plot implements plot.Plotter.
func (r raster) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	paint(&c, vg.Rectangle{
		Min: vg.Point{X: snap(x(r.left)), Y: snap(y(r.bottom))},
		Max: vg.Point{X: snap(x(r.right)), Y: snap(y(r.top))},
	}, r.cells)
}

// paint draws a picture into a box.
func paint(c *draw.Canvas, box vg.Rectangle, cells *image.Paletted) {
	if box.Max.X > box.Min.X && box.Max.Y > box.Min.Y && !cells.Rect.Empty() {
		c.DrawImage(box, cells)
	}
}

// note is a text at a point of the data, moved by an offset.
type note struct {
	style text.Style
	at    point
	off   vg.Point
	words string
}

// drawNotes writes texts on paper-coloured ground inside the panel. It leaves out a text that would cover an earlier
// one.
func drawNotes(c draw.Canvas, p *plot.Plot, list []note) {
	const margin, distance = 2, 3
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, n := range list {
		at := vg.Point{X: x(n.at.x), Y: y(n.at.y)}.Add(n.off)
		box := n.style.Rectangle(n.words).Add(at)
		inside := vg.Point{X: max(c.Min.X-box.Min.X, min(0, c.Max.X-box.Max.X)), Y: max(c.Min.Y-box.Min.Y, min(0, c.Max.Y-box.Max.Y))}
		at, box = at.Add(inside), box.Add(inside)
		covers := func(other vg.Rectangle) bool {
			return box.Min.X < other.Max.X+distance && other.Min.X < box.Max.X+distance && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y
		}
		if n.words == "" || slices.ContainsFunc(taken, covers) {
			continue
		}
		taken = append(taken, box)
		fill(&c, paperInk, box.Min.X-margin, box.Min.Y, box.Max.X+margin, box.Max.Y)
		c.FillText(n.style, at, n.words)
	}
}

// mark is a vertical line at a place of the horizontal axis, with words next to its upper end, that far below it.
type mark struct {
	at    float64
	words string
	below vg.Length
}

// addMark draws the line of a mark with the styles, one upon the other, and its words.
func (p *panel) addMark(m mark, words text.Style, styles ...draw.LineStyle) {
	top := point{m.at, p.plot.Y.Max}
	for _, style := range styles {
		p.plot.Add(series{LineStyle: style, points: []point{{m.at, p.plot.Y.Min}, top}})
	}
	p.notes = append(p.notes, note{align(words, draw.XLeft, draw.YTop), top, vg.Point{X: 4, Y: -m.below}, m.words})
}
