package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"loadgen/results"
)

// figure is one chart: a title above panels that stand above one another and
// whose data begin and end at the same places from left to right.
type figure struct {
	title, subtitle string
	// key is the heading of all panels, nil for none.
	key    *panel
	panels []panel
	// height is that of the figure; 0 stands for that of a page.
	height vg.Length
}

// onePanel returns a figure of one panel, which says why it is empty until it is drawn.
func onePanel(title string, record *results.Record, heading, empty string) *figure {
	return &figure{title: title, subtitle: describe(record), panels: []panel{{heading: heading, share: 1, sentence: empty}}}
}

func (f *figure) tall() vg.Length {
	if f.height > 0 {
		return f.height
	}
	return height
}

// name is what the figure is called where it cannot be seen.
func (f *figure) name() string { return f.title + " (" + f.subtitle + ")" }

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
	if f.key != nil {
		f.key.drawHeading(draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-headingRow, 0))
		c.Max.Y -= headingRow
	}
	places := f.places(c)
	left, right := f.insets(places)
	for i := range f.panels {
		f.panels[i].draw(places[i], left, right)
	}
}

// places divides a canvas among the panels, from the top down.
func (f *figure) places(c draw.Canvas) []draw.Canvas {
	var shares vg.Length
	for i := range f.panels {
		shares += f.panels[i].share
	}
	gaps := panelGap * vg.Length(len(f.panels)-1)
	places := make([]draw.Canvas, len(f.panels))
	top := c.Max.Y
	for i := range f.panels {
		height := (c.Max.Y - c.Min.Y - gaps) * f.panels[i].share / shares
		places[i] = draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{
			Min: vg.Point{X: c.Min.X, Y: top - height}, Max: vg.Point{X: c.Max.X, Y: top},
		}}
		top -= height + panelGap
	}
	return places
}

// insets returns the room that the widest labels take left and right of the data.
func (f *figure) insets(places []draw.Canvas) (left, right vg.Length) {
	for i := range f.panels {
		if p := f.panels[i].plot; p != nil {
			data := p.DataCanvas(places[i])
			left = max(left, data.Min.X-places[i].Min.X)
			right = max(right, places[i].Max.X-data.Max.X)
		}
	}
	return left, right
}

// draw paints the panel into its place, its data that far from left and right.
func (p *panel) draw(c draw.Canvas, left, right vg.Length) {
	p.drawHeading(draw.Crop(c, 0, 0, c.Max.Y-c.Min.Y-headingRow, 0))
	c.Max.Y -= headingRow
	if p.says != "" {
		style := write(labelSize, textInk)
		style.YAlign = draw.YTop
		c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y + 1}, fit(style, p.says, c.Max.X-c.Min.X))
		c.Max.Y -= saysRow
	}
	if p.plot == nil {
		p.drawSentence(c)
		return
	}
	data := p.plot.DataCanvas(c)
	if p.below != "" {
		style := write(labelSize, textInk)
		style.XAlign = draw.XCenter
		c.FillText(style, vg.Point{X: (c.Min.X + left + c.Max.X - right) / 2, Y: c.Min.Y + 2}, p.below)
		c.Min.Y += belowRow
	}
	p.plot.Draw(draw.Crop(c, left-(data.Min.X-c.Min.X), c.Max.X-data.Max.X-right, 0, 0))
}

// drawHeading writes the heading and after it as much of the legend as there is
// room for.
func (p *panel) drawHeading(c draw.Canvas) {
	const gap, inner = 16, 5
	style := writeBold(headingSize, textInk)
	style.YAlign = draw.YCenter
	// Most letters stay above the base line, so that the middle of what is seen
	// lies above the middle of the font.
	middle := c.Center().Y + 1
	if p.bar != nil {
		p.bar.draw(&c, vg.Point{X: c.Max.X - p.bar.width(), Y: middle})
		c.Max.X -= p.bar.width() + gap
	}
	heading := fit(style, p.heading, c.Max.X-c.Min.X)
	c.FillText(style, vg.Point{X: c.Min.X, Y: middle}, heading)
	at := c.Min.X
	if heading != "" {
		at += style.Width(heading) + gap
	}
	style = write(labelSize, textInk)
	style.YAlign = draw.YCenter
	if p.aside != "" {
		style.Color = fadedInk
		aside := fit(style, p.aside, c.Max.X-at)
		c.FillText(style, vg.Point{X: at, Y: middle}, aside)
		style.Color = textInk
		at += style.Width(aside) + gap
	}
	for _, e := range p.legend {
		width := sampleWidth + inner + style.Width(e.words)
		if at+width > c.Max.X {
			return
		}
		sample := c
		sample.Min.X, sample.Max.X = at, at+sampleWidth
		e.sample.Thumbnail(&sample)
		c.FillText(style, vg.Point{X: at + sampleWidth + inner, Y: middle}, e.words)
		at += width + gap
	}
}

func (p *panel) drawSentence(c draw.Canvas) {
	c.StrokeLines(stroke(0.8, gridInk), []vg.Point{
		c.Min, {X: c.Max.X, Y: c.Min.Y}, c.Max, {X: c.Min.X, Y: c.Max.Y}, c.Min,
	})
	style := write(labelSize+1, fadedInk)
	style.XAlign, style.YAlign = draw.XCenter, draw.YCenter
	c.FillText(style, c.Center(), fit(style, p.sentence, c.Max.X-c.Min.X))
}
