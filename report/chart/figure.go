package chart

import (
	"fmt"
	"strings"
	"unicode"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/report/document"
	"loadgen/results"
)

// figure is one chart: a title above panels from top to bottom, whose data have the same left and right ends.
type figure struct {
	// title is the result that the chart shows, subtitle names the run.
	title, subtitle string
	// bare leaves both to the page.
	bare bool
	// key is a heading for all panels, nil for none.
	key    *panel
	panels []panel
	// width and height are those of the figure; 0 selects those of a page.
	width, height vg.Length
}

// onePanel returns a figure of one panel, which says why it is empty until it has a plot.
func onePanel(record *results.Record, heading, reason string) *figure {
	return &figure{subtitle: describe(record), panels: []panel{noData(heading, reason)}}
}

// noData returns a panel without a plot, which says why it is empty.
func noData(heading, reason string) panel {
	return panel{heading: heading, share: 1, sentence: "no data: " + reason}
}

// labelLast leaves the labels of the common horizontal axis to the last panel, which is taller by extra and names it.
func (f *figure) labelLast(below string, extra vg.Length) {
	last := len(f.panels) - 1
	for i := range f.panels {
		if p := f.panels[i].plot; i < last && p != nil {
			p.X = unlabelled(p.X)
		}
	}
	f.panels[last].below = below
	f.panels[last].share += extra
}

// stack makes the figure as tall as its panels, whose shares are points, and a head.
func (f *figure) stack(head vg.Length) {
	f.height = head
	for i := range f.panels {
		f.height += f.panels[i].share + panelGap
	}
}

// size returns the width and the height of the figure. Without a title it is less tall.
func (f *figure) size() (wide, tall vg.Length) {
	wide, tall = width, height
	if f.width > 0 {
		wide, tall = f.width, f.width*(.4+.2*vg.Length(max(2, len(f.panels))))
	}
	if f.height > 0 {
		tall = f.height
	}
	if f.bare && (f.height > 0 || f.width == 0) {
		tall -= titleRoom
	}
	return wide, tall
}

// panel is a plot with its heading and legend, or a sentence if there is nothing to plot.
type panel struct {
	heading string
	legend  []entry
	// bar explains the colours of a heat map, nil for none; aside follows the heading, says is a line below it.
	bar         *colourBar
	aside, says string
	plot        *plot.Plot
	// below names the horizontal axis. The plot does not, because gonum/plot computes the middle of a logarithmic axis
	// differently and would leave room for it.
	below    string
	sentence string
	// share is the part of the figure's height that the panel takes, relative to others.
	share vg.Length
}

// entry explains a mark of a panel.
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
)

func (f *figure) draw(c draw.Canvas) {
	if f.bare {
		const margin = 4
		c = draw.Crop(c, 0, -margin, 0, -margin)
	} else {
		c = draw.Crop(c, outerMargin, -outerMargin-4, outerMargin-2, -outerMargin)
		c.Max.Y -= drawLine(&c, writeBold(titleSize, textInk), f.title)
		c.Max.Y -= drawLine(&c, write(labelSize, fadedInk), f.subtitle)
		c.Max.Y -= panelGap / 2
	}
	if f.key != nil {
		c.Max.Y -= f.key.drawHeading(c)
	}
	places := f.places(c)
	// The widest labels take this much room left and right of the data.
	var left, right vg.Length
	for i := range f.panels {
		if p := f.panels[i].plot; p != nil {
			data := p.DataCanvas(places[i])
			left = max(left, data.Min.X-places[i].Min.X)
			right = max(right, places[i].Max.X-data.Max.X)
		}
	}
	for i := range f.panels {
		f.panels[i].draw(places[i], left, right)
	}
}

// drawLine writes a line at the top of the canvas and returns its height.
func drawLine(c *draw.Canvas, style text.Style, words string) vg.Length {
	style = align(style, draw.YTop)
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, fit(style, words, c.Max.X-c.Min.X))
	return style.Height(words) + 2
}

// places divides the canvas among the panels.
func (f *figure) places(c draw.Canvas) []draw.Canvas {
	var shares vg.Length
	for i := range f.panels {
		shares += f.panels[i].share
	}
	room := c.Max.Y - c.Min.Y - panelGap*vg.Length(len(f.panels)-1)
	places := make([]draw.Canvas, len(f.panels))
	for i := range f.panels {
		places[i] = c
		places[i].Min.Y = c.Max.Y - room*f.panels[i].share/shares
		c.Max.Y = places[i].Min.Y - panelGap
	}
	return places
}

// draw paints the panel into its place, with its data at these distances from left and right.
func (p *panel) draw(c draw.Canvas, left, right vg.Length) {
	c.Max.Y -= p.drawHeading(c)
	style := align(write(labelSize, textInk), draw.YTop)
	for _, words := range wrap(style, p.says, c.Max.X-c.Min.X) {
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1}, words)
		c.Max.Y -= saysRow
	}
	if p.plot == nil {
		c.StrokeLines(stroke(0.8, gridInk), []vg.Point{
			c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min,
		})
		style := align(write(labelSize+1, fadedInk), draw.YCenter)
		style.XAlign = draw.XCenter
		c.FillText(style, c.Center(), fit(style, p.sentence, c.Max.X-c.Min.X))
		return
	}
	data := p.plot.DataCanvas(c)
	if p.below != "" {
		style := write(labelSize, textInk)
		style.XAlign = draw.XCenter
		c.FillText(style, vg.Point{X: (c.Min.X + left + c.Max.X - right) / 2, Y: c.Min.Y + 2}, fit(style, p.below, c.Max.X-right-c.Min.X-left))
		c.Min.Y += belowRow
	}
	p.plot.Draw(draw.Crop(c, left-(data.Min.X-c.Min.X), c.Max.X-data.Max.X-right, 0, 0))
}

// drawHeading writes the heading and then the legend, in several rows if needed, and returns their height.
func (p *panel) drawHeading(c draw.Canvas) vg.Length {
	const gap, inner = 16, 5
	bold := align(writeBold(headingSize, textInk), draw.YCenter)
	// Most letters stay above the base line, so that the visible middle is above that of the font.
	middle := c.Max.Y - headingRow/2 + 1
	right := c.Max.X
	if p.bar != nil {
		p.bar.draw(&c, vg.Point{X: right - p.bar.width(), Y: middle})
		right -= p.bar.width() + gap
	}
	at := c.Min.X
	add := func(style text.Style, words string) {
		if words = fit(style, words, right-at); words != "" {
			c.FillText(style, vg.Point{X: at, Y: middle}, words)
			at += style.Width(words) + gap
		}
	}
	style := align(write(labelSize, textInk), draw.YCenter)
	add(bold, p.heading)
	add(align(write(labelSize, fadedInk), draw.YCenter), p.aside)
	rows := headingRow
	for _, e := range p.legend {
		width := sampleWidth + inner + style.Width(e.words)
		if at+width > right && (at > c.Min.X || right < c.Max.X) {
			at, right = c.Min.X, c.Max.X
			middle, rows = middle-saysRow, rows+saysRow
		}
		sample := c
		sample.Min.X, sample.Max.X = at, at+sampleWidth
		sample.Min.Y, sample.Max.Y = middle-1-headingRow/2, middle-1+headingRow/2
		e.sample.Thumbnail(&sample)
		c.FillText(style, vg.Point{X: at + sampleWidth + inner, Y: middle}, fit(style, e.words, c.Max.X-at-sampleWidth-inner))
		at += width + gap
	}
	return rows
}

// colourBar explains a scale in the heading of a panel: from 0 to the anchor, with a line there if the scale continues
// above it.
type colourBar struct {
	scale shades
	// from and to are the words at its ends.
	from, to string
	// open says that the scale continues above its anchor.
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
	length, _ := b.length()
	return style.Width(b.from) + style.Width(b.to) + 2*barGap + length
}

// length returns the length of the bar and its number of steps.
func (b *colourBar) length() (vg.Length, int) {
	if b.open {
		return barWithin + barBeyond, steps
	}
	return barWithin, stepsWithin
}

// draw paints the bar, its left end at a point of a line of text.
func (b *colourBar) draw(c *draw.Canvas, at vg.Point) {
	style := align(write(labelSize, textInk), draw.YCenter)
	c.FillText(style, at, b.from)
	left := snap(at.X + style.Width(b.from) + barGap)
	length, n := b.length()
	cells := newRaster(n, 1, b.scale)
	for i := range n {
		cells.Pix[i] = uint8(i + 1)
	}
	low := snap(at.Y - barHeight/2 - 1)
	paint(c, vg.Rectangle{Min: vg.Point{X: left, Y: low}, Max: vg.Point{X: snap(left + length), Y: low + snap(barHeight)}}, cells)
	if b.open {
		anchor := left + length*stepsWithin/steps
		c.StrokeLine2(stroke(1.5, targetInk), anchor, low-2.5, anchor, low+barHeight+2.5)
	}
	c.FillText(style, vg.Point{X: left + length + barGap, Y: at.Y}, b.to)
}

// The maximum number of characters of a key, whose end may be what distinguishes it, and of a name.
const (
	maxKey  = 60
	maxName = 32
)

// clean returns a text of the record as one line of at most a number of printable characters. What cannot be printed,
// such as a control character or invalid UTF-8, becomes a question mark, which every font has and XML can contain.
func clean(word string, maxLength int) string {
	runes := []rune(word)
	if len(runes) > maxLength {
		runes = append(runes[:maxLength], '…')
	}
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return '?'
		}
		return r
	}, string(runes))
}

// fit shortens a text until it is no wider than the room.
func fit(style text.Style, words string, room vg.Length) string {
	if style.Width(words) <= room {
		return words
	}
	runes := []rune(words)
	for len(runes) > 0 && style.Width(string(runes)+"…") > room {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimRight(string(runes), " ") + "…"
}

// wrap breaks a text between its words into lines that are no wider than the room. The last one is shortened to it.
func wrap(style text.Style, words string, room vg.Length) []string {
	var lines []string
	last := -1
	for _, word := range strings.Fields(words) {
		if last < 0 || style.Width(lines[last]+" "+word) > room {
			lines, last = append(lines, word), last+1
		} else {
			lines[last] += " " + word
		}
	}
	if last >= 0 {
		lines[last] = fit(style, lines[last], room)
	}
	return lines
}

// describe names the run of a chart. An invalid run says so first, where no shortening removes it.
func describe(record *results.Record) string {
	m := &record.Manifest
	validity, partition, time := "", "no single partition", ""
	if record.Validity != results.Valid && record.Validity != "" {
		validity = clean(record.Validity, maxName) + " run"
	}
	scenario := clean(m.Scenario.Name, maxName)
	if scenario == "" {
		scenario = "without a name"
	}
	switch {
	case m.Spread != nil:
		partition = document.Counted(m.Spread.Partitions, "partition")
	case m.PartitionKey != "":
		partition = fmt.Sprintf("partition “%s”", clean(m.PartitionKey, maxKey))
	}
	if m.Time != "" {
		time = clean(m.Time, maxName) + " time"
	}
	return document.Join("  ·  ", validity, "scenario "+scenario, partition, clean(m.Target, maxName), time)
}
