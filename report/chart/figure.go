package chart

import (
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/results"
)

// figure is one chart: a title above panels that stand above one another and
// whose data begin and end at the same places from left to right.
type figure struct {
	// title says what is to be seen; subtitle says of which run.
	title, subtitle string
	// bare leaves both to the page that the figure stands on.
	bare bool
	// key is the heading of all panels, nil for none.
	key    *panel
	panels []panel
	// width and height are those of the figure; 0 stands for those of a page.
	width, height vg.Length
}

// onePanel returns a figure of one panel, which says why it is empty until it is drawn.
func onePanel(record *results.Record, heading, empty string) *figure {
	return &figure{title: heading, subtitle: describe(record), panels: []panel{{heading: heading, share: 1, sentence: empty}}}
}

// size returns how wide and how tall the figure is: without its title it is as much less
// tall.
func (f *figure) size() (wide, tall vg.Length) {
	wide, tall = width, height
	if f.width > 0 {
		wide, tall = f.width, f.width*.8
	}
	if f.height > 0 {
		tall = f.height
	}
	if f.bare && (f.height > 0 || f.width == 0) {
		tall -= titleRoom
	}
	return wide, tall
}

// titleRoom is what title and subtitle take.
const titleRoom vg.Length = 34

// panel is a plot with its heading and legend, or, where there is nothing to
// plot, a sentence.
type panel struct {
	heading string
	legend  []entry
	// bar explains the colours of a heat map, nil for none; aside stands after the
	// heading, says is a line below it.
	bar         *colourBar
	aside, says string
	plot        *plot.Plot
	// below names the horizontal axis. The plot does not: gonum/plot takes the
	// middle of a logarithmic axis to be elsewhere and would leave room for it.
	below    string
	sentence string
	// share is what the panel takes of the figure's height, relative to others.
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
		for _, words := range []struct {
			text  string
			style text.Style
		}{{f.title, writeBold(titleSize, textInk)}, {f.subtitle, write(labelSize, fadedInk)}} {
			words.style.YAlign = draw.YTop
			c.FillText(words.style, vg.Point{X: c.Min.X, Y: c.Max.Y}, fit(words.style, words.text, c.Max.X-c.Min.X))
			c.Max.Y -= words.style.Height(words.text) + 2
		}
		c.Max.Y -= panelGap / 2
	}
	if f.key != nil {
		c.Max.Y -= f.key.drawHeading(c)
	}
	var shares vg.Length
	for i := range f.panels {
		shares += f.panels[i].share
	}
	room := c.Max.Y - c.Min.Y - panelGap*vg.Length(len(f.panels)-1)
	places := make([]draw.Canvas, len(f.panels))
	top := c.Max.Y
	for i := range f.panels {
		height := room * f.panels[i].share / shares
		places[i] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: top - height}, Max: vg.Point{X: c.Max.X, Y: top},
		}}
		top -= height + panelGap
	}
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

// draw paints the panel into its place, its data that far from left and right.
func (p *panel) draw(c draw.Canvas, left, right vg.Length) {
	c.Max.Y -= p.drawHeading(c)
	style := write(labelSize, textInk)
	style.YAlign = draw.YTop
	// What is said is broken where the room ends, between its words.
	room, said := c.Max.X-c.Min.X, []string{}
	for _, word := range strings.Fields(p.says) {
		last := len(said) - 1
		if last < 0 || style.Width(said[last]+" "+word) > room {
			said = append(said, word)
		} else {
			said[last] += " " + word
		}
	}
	for i, words := range said {
		if i == len(said)-1 {
			words = fit(style, words, room)
		}
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1}, words)
		c.Max.Y -= saysRow
	}
	if p.plot == nil {
		c.StrokeLines(stroke(0.8, gridInk), []vg.Point{
			c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min,
		})
		style := write(labelSize+1, fadedInk)
		style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
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

// drawHeading writes the heading, and after it the legend, in as many rows as they take,
// and returns how tall those are.
func (p *panel) drawHeading(c draw.Canvas) vg.Length {
	const gap, inner = 16, 5
	bold := writeBold(headingSize, textInk)
	bold.YAlign = draw.YCenter
	// Most letters stay above the base line, so that the middle of what is seen
	// lies above the middle of the font.
	middle := c.Max.Y - headingRow/2 + 1
	right := c.Max.X
	if p.bar != nil {
		p.bar.draw(&c, vg.Point{X: right - p.bar.width(), Y: middle})
		right -= p.bar.width() + gap
	}
	heading := fit(bold, p.heading, right-c.Min.X)
	c.FillText(bold, vg.Point{X: c.Min.X, Y: middle}, heading)
	at := c.Min.X
	if heading != "" {
		at += bold.Width(heading) + gap
	}
	style := write(labelSize, textInk)
	style.YAlign = draw.YCenter
	if p.aside != "" {
		style.Color = fadedInk
		aside := fit(style, p.aside, right-at)
		c.FillText(style, vg.Point{X: at, Y: middle}, aside)
		style.Color = textInk
		at += style.Width(aside) + gap
	}
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
