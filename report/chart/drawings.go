package chart

import (
	"image"
	"image/color"
	imagedraw "image/draw"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The drawings of all charts: a series is a line, dots or both; an area is the band between two series; bars, raster
// and marks are bars, heat and steps.

// point is a point of the data.
type point struct{ x, y float64 }

// path returns points of the data on a canvas.
func path(c *draw.Canvas, p *plot.Plot, points []point) []vg.Point {
	x, y := p.Transforms(c)
	list := make([]vg.Point, len(points))
	for i, at := range points {
		list[i] = vg.Point{X: x(at.x), Y: y(at.y)}
	}
	return list
}

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

// line joins points. It is its own sample in a legend.
type line struct {
	style  draw.LineStyle
	points []point
}

// Plot implements plot.Plotter.
func (l line) Plot(c draw.Canvas, p *plot.Plot) {
	if len(l.points) > 1 {
		c.StrokeLines(l.style, path(&c, p, l.points))
	}
}

// Thumbnail implements plot.Thumbnailer.
func (l line) Thumbnail(c *draw.Canvas) {
	middle := c.Center().Y
	c.StrokeLine2(l.style, c.Min.X, middle, c.Max.X, middle)
}

// dots are round marks with a paper-coloured rim, which separates them from lines and bars of their own colour. They
// are their own sample in a legend.
type dots struct {
	colour ink
	radius vg.Length
	points []point
}

// Plot implements plot.Plotter.
func (d dots) Plot(c draw.Canvas, p *plot.Plot) {
	for _, at := range path(&c, p, d.points) {
		d.drawDot(&c, at)
	}
}

func (d dots) drawDot(c *draw.Canvas, at vg.Point) {
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: paperInk, Radius: d.radius + 1, Shape: draw.CircleGlyph{}}, at)
	c.DrawGlyphNoClip(draw.GlyphStyle{Color: d.colour, Radius: d.radius, Shape: draw.CircleGlyph{}}, at)
}

// Thumbnail implements plot.Thumbnailer.
func (d dots) Thumbnail(c *draw.Canvas) { d.drawDot(c, c.Center()) }

// area fills the band between two lines that have their points at the same places. It is its own sample in a legend.
type area struct {
	colour   ink
	from, to []point
}

// Plot implements plot.Plotter.
func (a area) Plot(c draw.Canvas, p *plot.Plot) {
	if len(a.from) < 2 {
		return
	}
	back := path(&c, p, a.to)
	slices.Reverse(back)
	fillPath(&c, a.colour, append(path(&c, p, a.from), back...))
}

// Thumbnail implements plot.Thumbnailer.
func (a area) Thumbnail(c *draw.Canvas) { swatch(a.colour).Thumbnail(c) }

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

// highest returns the height of the highest bar.
func (bs bars) highest() (highest float64) {
	for _, b := range bs.list {
		sum := 0.
		for _, part := range b.parts {
			sum += part
		}
		highest = max(highest, sum)
	}
	return highest
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

func snap(at vg.Length) vg.Length {
	return grain * vg.Length(math.Round(float64(at/grain)))
}

func fill(c *draw.Canvas, colour ink, left, bottom, right, top vg.Length) {
	fillPath(c, colour, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
}

func fillPath(c *draw.Canvas, colour ink, corners []vg.Point) {
	var outline vg.Path
	outline.Move(corners[0])
	for _, corner := range corners[1:] {
		outline.Line(corner)
	}
	outline.Close()
	c.SetColor(colour)
	c.Fill(outline)
}

// swatch is the sample of a colour in a legend.
type swatch ink

// Thumbnail implements plot.Thumbnailer.
func (s swatch) Thumbnail(c *draw.Canvas) {
	const half vg.Length = 4.5
	middle := c.Center()
	fill(c, ink(s), middle.X-half, middle.Y-half, middle.X+half, middle.Y+half)
}

// nothing is the sample of a legend entry that explains no mark.
type nothing struct{}

// Thumbnail implements plot.Thumbnailer.
func (nothing) Thumbnail(*draw.Canvas) {}

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

// paint draws a picture into a box, whole cells with sharp edges.
func paint(c *draw.Canvas, box vg.Rectangle, cells *image.Paletted) {
	if box.Max.X <= box.Min.X || box.Max.Y <= box.Min.Y || cells.Rect.Empty() {
		return
	}
	page := c.Canvas
	for cropped, is := page.(draw.Canvas); is; cropped, is = page.(draw.Canvas) {
		page = cropped.Canvas
	}
	pixels, is := page.(interface {
		Image() imagedraw.Image
		DPI() float64
	})
	if !is {
		c.Canvas.DrawImage(box, cells)
		return
	}
	dots := func(v vg.Length) int { return int(v.Dots(pixels.DPI()) + .5) }
	sheet := pixels.Image()
	low := sheet.Bounds().Max.Y
	// The library fills a rectangle with blurred cells.
	at := image.Rect(dots(box.Min.X), low-dots(box.Max.Y), dots(box.Max.X), low-dots(box.Min.Y))
	from, seen := cells.Rect, at.Intersect(sheet.Bounds())
	scaled := image.NewPaletted(seen, cells.Palette)
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		line := from.Min.Y + (y-at.Min.Y)*from.Dy()/at.Dy()
		for x := seen.Min.X; x < seen.Max.X; x++ {
			scaled.SetColorIndex(x, y, cells.ColorIndexAt(from.Min.X+(x-at.Min.X)*from.Dx()/at.Dx(), line))
		}
	}
	imagedraw.Draw(sheet, seen, scaled, seen.Min, imagedraw.Src)
}

// rules separate the rows of a heat map with lines of the paper's colour.
type rules struct {
	left, right float64
	heights     []float64
}

// Plot implements plot.Plotter.
func (r rules) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, height := range r.heights {
		middle := snap(y(height))
		fill(&c, paperInk, x(r.left), middle-grain/2, x(r.right), middle+grain/2)
	}
}

// note is a text at a point of the data, moved by an offset.
type note struct {
	at     point
	off    vg.Point
	alignX text.XAlignment
	alignY text.YAlignment
	words  string
}

// notes writes texts on paper-coloured ground inside the panel. It leaves out a text that would cover an earlier one.
type notes struct {
	style text.Style
	list  []note
}

// Plot implements plot.Plotter.
func (ns notes) Plot(c draw.Canvas, p *plot.Plot) {
	const margin, distance = 2, 3
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, n := range ns.list {
		style := ns.style
		style.XAlign, style.YAlign = n.alignX, n.alignY
		at := vg.Point{X: x(n.at.x), Y: y(n.at.y)}.Add(n.off)
		box := style.Rectangle(n.words).Add(at)
		inside := vg.Point{X: shift(box.Min.X, box.Max.X, c.Min.X, c.Max.X), Y: shift(box.Min.Y, box.Max.Y, c.Min.Y, c.Max.Y)}
		at, box = at.Add(inside), box.Add(inside)
		covers := func(other vg.Rectangle) bool {
			return box.Min.X < other.Max.X+distance && other.Min.X < box.Max.X+distance && box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y
		}
		if slices.ContainsFunc(taken, covers) {
			continue
		}
		taken = append(taken, box)
		fill(&c, paperInk, box.Min.X-margin, box.Min.Y, box.Max.X+margin, box.Max.Y)
		c.FillText(style, at, n.words)
	}
}

// shift returns the distance that moves a stretch between two bounds.
func shift(from, to, low, high vg.Length) vg.Length {
	if from < low {
		return low - from
	}
	return min(0, high-to)
}

// mark is a vertical line at a place of the horizontal axis, with words next to its upper end, that far below it.
type mark struct {
	at    float64
	words string
	below vg.Length
}

// addMarks draws the lines of marks with the styles, one upon the other, and returns their words, which are drawn last.
func (p *panel) addMarks(marks []mark, words text.Style, styles ...draw.LineStyle) notes {
	list := notes{style: words}
	for _, m := range marks {
		top := point{m.at, p.plot.Y.Max}
		for _, style := range styles {
			p.plot.Add(line{style, []point{{m.at, p.plot.Y.Min}, top}})
		}
		if m.words != "" {
			list.list = append(list.list, note{top, vg.Point{X: 4, Y: -m.below}, draw.XLeft, draw.YTop, m.words})
		}
	}
	return list
}
