package chart

import (
	"image"
	"image/color"
	imagedraw "image/draw"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// raster is a picture of cells that fills a rectangle of the data. As paths the cells of
// a heat map would take an SVG of a megabyte.
type raster struct {
	left, bottom, right, top float64
	cells                    *image.Paletted
}

// newRaster returns a picture of so many columns and lines whose colours are those of
// scales, one after the other; index 0 is the ground.
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

// paint puts a picture into a box, whole cells with sharp edges.
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
	// The library's own way to fill a rectangle with cells would blur them.
	at := image.Rect(dots(box.Min.X), low-dots(box.Max.Y), dots(box.Max.X), low-dots(box.Min.Y))
	columns, lines := cells.Rect.Dx(), cells.Rect.Dy()
	seen := at.Intersect(sheet.Bounds())
	row := image.NewPaletted(image.Rect(seen.Min.X, 0, seen.Max.X, 1), cells.Palette)
	last := -1
	for y := seen.Min.Y; y < seen.Max.Y; y++ {
		if line := (y - at.Min.Y) * lines / at.Dy(); line != last {
			last = line
			for x := range row.Pix {
				row.Pix[x] = cells.Pix[line*cells.Stride+(seen.Min.X+x-at.Min.X)*columns/at.Dx()]
			}
		}
		imagedraw.Draw(sheet, image.Rect(seen.Min.X, y, seen.Max.X, y+1), row, row.Rect.Min, imagedraw.Src)
	}
}

// ruled are lines of the paper that part the rows of a heat map.
type ruled struct {
	left, right float64
	at          []float64
}

// Plot implements plot.Plotter.
func (r ruled) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range r.at {
		middle := snap(y(at))
		fill(&c, paperInk, x(r.left), middle-grain/2, x(r.right), middle+grain/2)
	}
}

// colourBar explains a scale in the heading of a panel: from nothing to the anchor, a
// line there, and what lies above it if anything can.
type colourBar struct {
	scale shades
	// from and to are what stands at its ends.
	from, to string
	// open says that the scale goes on beyond its anchor.
	open bool
}

// The measures of a colour bar, in points.
const (
	barWithin vg.Length = 110
	barBeyond vg.Length = 26
	barHeight vg.Length = 9
	barGap    vg.Length = 5
)

// width returns the room that the bar takes.
func (b *colourBar) width() vg.Length {
	style := write(labelSize, textInk)
	return style.Width(b.from) + style.Width(b.to) + 2*barGap + b.length()
}

func (b *colourBar) length() vg.Length {
	if b.open {
		return barWithin + barBeyond
	}
	return barWithin
}

// draw paints the bar, its left end at a point of a line of text.
func (b *colourBar) draw(c *draw.Canvas, at vg.Point) {
	style := write(labelSize, textInk)
	style.YAlign = draw.YCenter
	c.FillText(style, at, b.from)
	left := snap(at.X + style.Width(b.from) + barGap)
	n := stepsWithin
	if b.open {
		n = steps
	}
	// The bar is as long beyond the anchor as it is for each step below.
	cells := newRaster(n, 1, b.scale)
	for i := range n {
		cells.Pix[i] = uint8(i + 1)
	}
	low := snap(at.Y - barHeight/2 - 1)
	paint(c, vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: snap(left + b.length()), Y: low + snap(barHeight)}}, cells)
	if b.open {
		anchor := left + b.length()*stepsWithin/steps
		c.StrokeLine2(stroke(1.5, targetInk), anchor, low-2.5, anchor, low+barHeight+2.5)
	}
	c.FillText(style, vg.Point{X: left + b.length() + barGap, Y: at.Y}, b.to)
}
