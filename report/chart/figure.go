package chart

import (
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
)

// Figure is one chart: a title above panels from top to bottom, whose data have the same left and right ends.
type Figure struct {
	// Name is that of its files. Title is the result that the chart shows, subtitle names the run.
	Name, Title, subtitle string
	// Rows is the number of partitions that have a row in a heat map.
	Rows int
	// bare leaves both titles to the page.
	bare bool
	// key is a legend for all panels.
	key           []entry
	panels        []panel
	width, height vg.Length
	// pageWidth is the width on a page, 0 for the same.
	pageWidth vg.Length
}

// newFigure returns a figure of panels.
func newFigure(panels ...panel) *Figure {
	return &Figure{panels: panels, width: fullWidth, height: defaultHeight}
}

// noData returns a panel without a plot, which says why it is empty.
func noData(heading, reason string) panel {
	return panel{heading: heading, share: 1, sentence: "no data: " + reason}
}

// labelLast leaves the labels of the common horizontal axis to the last panel with a plot, which is taller by extra and
// names it.
func (f *Figure) labelLast(below string, extra vg.Length) {
	var last *panel
	for i := range f.panels {
		if p := &f.panels[i]; p.plot != nil {
			if last != nil {
				last.plot.X = relabelled(last.plot.X, func(float64) string { return "" })
			}
			last = p
		}
	}
	if last != nil {
		last.below = below
		last.share += extra
	}
}

// stackStrips makes the figure as tall as its panels, which have one height, and at least so many. It shows a reason if
// there are none.
func (f *Figure) stackStrips(each vg.Length, least int, none panel) {
	if len(f.panels) == 0 {
		f.panels = []panel{none}
	}
	f.height = 90 + each*vg.Length(max(least, len(f.panels)))
}

// stack makes the figure as tall as its panels, whose shares are points, and a head.
func (f *Figure) stack(head vg.Length) {
	f.height = head
	for i := range f.panels {
		f.height += f.panels[i].share + panelGap
	}
}

// panel is a plot with its heading and legend, or a sentence if there is nothing to plot.
type panel struct {
	heading string
	legend  []entry
	// aside follows the heading, says is a line below it.
	aside, says string
	plot        *plot.Plot
	// notes are texts in the plot, which are drawn last.
	notes []note
	// below names the horizontal axis. The plot does not, because gonum/plot computes the middle of a logarithmic axis
	// differently and would leave room for it.
	below    string
	sentence string
	// share is the part of the figure's height that the panel takes, relative to others.
	share vg.Length
}

// entry explains a mark of a panel. An entry without a sample explains no mark.
type entry struct {
	words  string
	sample plot.Thumbnailer
}

// The measures of a figure, in points.
const (
	outerMargin vg.Length = 14
	titleRoom   vg.Length = 34
	panelGap    vg.Length = 8
	headingRow  vg.Length = 20
	belowRow    vg.Length = 15
	saysRow     vg.Length = 15
	sampleWidth vg.Length = 20
	scaleWidth  vg.Length = 120
)

func (f *Figure) draw(c draw.Canvas) {
	if f.bare {
		const margin = 4
		c = draw.Crop(c, 0, -margin, 0, -margin)
	} else {
		fill(&c, paperInk, c.Min.X, c.Min.Y, c.Max.X, c.Max.Y)
		c = draw.Crop(c, outerMargin, -outerMargin-4, outerMargin-2, -outerMargin)
		c.Max.Y -= drawLine(&c, writeBold(titleSize, textInk), f.Title)
		c.Max.Y -= drawLine(&c, write(labelSize, fadedInk), f.subtitle)
		c.Max.Y -= panelGap / 2
	}
	if len(f.key) > 0 {
		c.Max.Y -= (&panel{legend: f.key}).drawHeading(c)
	}
	var shares vg.Length
	for i := range f.panels {
		shares += f.panels[i].share
	}
	room := c.Max.Y - c.Min.Y - panelGap*vg.Length(len(f.panels)-1)
	places := make([]draw.Canvas, len(f.panels))
	// The widest labels take this much room left and right of the data.
	var left, right vg.Length
	for i := range f.panels {
		places[i] = c
		places[i].Min.Y = c.Max.Y - room*f.panels[i].share/shares
		c.Max.Y = places[i].Min.Y - panelGap
		if p := f.panels[i].plot; p != nil {
			data := p.DataCanvas(places[i])
			left = max(left, data.Min.X-c.Min.X)
			right = max(right, c.Max.X-data.Max.X)
		}
	}
	for i := range f.panels {
		f.panels[i].draw(places[i], left, right)
	}
}

// drawLine writes a line at the top of the canvas and returns its height.
func drawLine(c *draw.Canvas, style text.Style, words string) vg.Length {
	style = align(style, draw.XLeft, draw.YTop)
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, fit(style, words, c.Max.X-c.Min.X))
	return style.Height(words) + 2
}

// draw paints the panel into its place, with its data at these distances from left and right.
func (p *panel) draw(c draw.Canvas, left, right vg.Length) {
	c.Max.Y -= p.drawHeading(c)
	style := align(write(labelSize, textInk), draw.XLeft, draw.YTop)
	for _, words := range wrap(style, p.says, c.Max.X-c.Min.X) {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1}, fit(style, words, c.Max.X-c.Min.X))
		c.Max.Y -= saysRow
	}
	if p.plot == nil {
		c.StrokeLines(stroke(0.8, gridInk), []vg.Point{
			c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min,
		})
		style := align(write(labelSize+1, fadedInk), draw.XCenter, draw.YCenter)
		c.FillText(style, c.Center(), fit(style, p.sentence, c.Max.X-c.Min.X))
		return
	}
	data := p.plot.DataCanvas(c)
	if p.below != "" {
		style := align(write(labelSize, textInk), draw.XCenter, draw.YBottom)
		c.FillText(style, vg.Point{X: (c.Min.X + left + c.Max.X - right) / 2, Y: c.Min.Y + 2}, fit(style, p.below, c.Max.X-right-c.Min.X-left))
		c.Min.Y += belowRow
	}
	c = draw.Crop(c, left-(data.Min.X-c.Min.X), c.Max.X-data.Max.X-right, 0, 0)
	p.plot.Draw(c)
	drawNotes(p.plot.DataCanvas(c), p.plot, p.notes)
}

// drawHeading writes the heading and then the legend, in several rows if needed, and returns their height.
func (p *panel) drawHeading(c draw.Canvas) vg.Length {
	const gap, inner = 16, 5
	// Most letters stay above the base line, so that the visible middle is above that of the font.
	middle := c.Max.Y - headingRow/2 + 1
	at := c.Min.X
	add := func(style text.Style, words string) {
		style = align(style, draw.XLeft, draw.YCenter)
		if words = fit(style, words, c.Max.X-at); words != "" {
			c.FillText(style, vg.Point{X: at, Y: middle}, words)
			at += style.Width(words) + gap
		}
	}
	style := write(labelSize, textInk)
	add(writeBold(headingSize, textInk), p.heading)
	add(write(labelSize, fadedInk), p.aside)
	rows := headingRow
	for _, e := range p.legend {
		width := sampleWidth
		if _, isScale := e.sample.(shades); isScale {
			width = scaleWidth
		}
		if at+width+inner+style.Width(e.words) > c.Max.X && at > c.Min.X {
			at, middle, rows = c.Min.X, middle-saysRow, rows+saysRow
		}
		if e.sample != nil {
			sample := c
			sample.Min.X, sample.Max.X = at, at+width
			sample.Min.Y, sample.Max.Y = middle-1-headingRow/2, middle-1+headingRow/2
			e.sample.Thumbnail(&sample)
			at += width + inner
		}
		add(style, e.words)
	}
	return rows
}

// Thumbnail implements plot.Thumbnailer. A line is at the anchor of an open scale.
func (s shades) Thumbnail(c *draw.Canvas) {
	const height = 9
	n := stepsWithin
	if s.open {
		n = steps
	}
	cells := newRaster(n, 1, s)
	for i := range n {
		cells.Pix[i] = uint8(i + 1)
	}
	left, low := snap(c.Min.X), snap(c.Center().Y-height/2)
	paint(c, vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: snap(left + scaleWidth), Y: low + snap(height)}}, cells)
	if s.open {
		anchor := left + scaleWidth*stepsWithin/steps
		c.StrokeLine2(stroke(1.5, targetInk), anchor, low-2.5, anchor, low+height+2.5)
	}
}

// The maximum number of characters of a key, whose end may be what distinguishes it, and of a name.
const (
	maxKey  = 60
	maxName = 32
)

// clean returns a text of the record as one line of at most a number of printable characters. What cannot be printed,
// such as a control character or invalid UTF-8, becomes a question mark, which every font has and XML can contain.
func clean(word string, maxLength int) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, document.Cut(word, maxLength))
}

// fit shortens a text until it is no wider than the room.
func fit(style text.Style, words string, room vg.Length) string {
	short := words
	for kept := []rune(words); len(kept) > 0 && style.Width(short) > room; {
		kept = kept[:len(kept)-1]
		short = strings.TrimRight(string(kept), " ") + "…"
	}
	return short
}

// wrap breaks a text between its words into lines that are no wider than the room, but for those of a single word.
func wrap(style text.Style, words string, room vg.Length) (lines []string) {
	for _, word := range strings.Fields(words) {
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= room {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
