package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// note is a text at a point of the data, moved by an offset.
type note struct {
	at     point
	off    vg.Point
	alignX text.XAlignment
	alignY text.YAlignment
	words  string
}

// notes writes texts on paper-coloured ground inside the panel. One that would
// cover an earlier one is left out: unreadable text says less than none.
type notes struct {
	style text.Style
	// stay says that a text which would leave the panel to the left or right is
	// left out and not moved inside.
	stay bool
	list []note
}

// Plot implements plot.Plotter.
func (ns notes) Plot(c draw.Canvas, p *plot.Plot) {
	const margin = 2
	x, y := p.Transforms(&c)
	var taken []vg.Rectangle
	for _, n := range ns.list {
		style := ns.style
		style.XAlign, style.YAlign = n.alignX, n.alignY
		at := vg.Point{X: x(n.at.x), Y: y(n.at.y)}.Add(n.off)
		box := style.Rectangle(n.words).Add(at)
		move := vg.Point{X: into(box.Min.X, box.Max.X, c.Min.X, c.Max.X), Y: into(box.Min.Y, box.Max.Y, c.Min.Y, c.Max.Y)}
		at, box = at.Add(move), box.Add(move)
		if covers(box, taken) || ns.stay && move.X != 0 {
			continue
		}
		taken = append(taken, box)
		fill(&c, paperInk, box.Min.X-margin, box.Min.Y, box.Max.X+margin, box.Max.Y)
		c.FillText(style, at, n.words)
	}
}

// into returns by how much a stretch must move to lie between two bounds.
func into(from, to, least, greatest vg.Length) vg.Length {
	switch {
	case from < least:
		return least - from
	case to > greatest:
		return greatest - to
	default:
		return 0
	}
}

// covers reports whether a box comes near one of those taken.
func covers(box vg.Rectangle, taken []vg.Rectangle) bool {
	const apart = 3
	for _, other := range taken {
		if box.Min.X < other.Max.X+apart && other.Min.X < box.Max.X+apart &&
			box.Min.Y < other.Max.Y && other.Min.Y < box.Max.Y {
			return true
		}
	}
	return false
}
