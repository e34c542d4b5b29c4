package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is an opaque colour, 0xRRGGBB. As a constant it cannot be changed by
// anyone, which a variable of package image/color could.
type ink uint32

var _ color.Color = ink(0)

// Each colour has one meaning in all charts. Those of the data are of the set by
// Okabe and Ito that people of every kind of colour vision tell apart.
const (
	servedInk    ink = 0x0072B2 // blue: everything served
	getInk       ink = 0x56B4E9 // sky blue: served by GET
	putInk       ink = 0x009E73 // bluish green: served by PUT
	otherInk     ink = 0x8FA3AD // served by what is neither
	throttledInk ink = 0xD55E00 // vermillion: throttled attempts and their waits
	lostInk      ink = 0xE69F00 // orange: offered, never served
	failedInk    ink = 0x6F5A7E // grey purple: failed attempts
	targetInk    ink = 0x222222 // the partition target, always dashed
	textInk      ink = 0x222222
	fadedInk     ink = 0x6B6B6B // service time, second-rank text
	eventInk     ink = 0x7A1F5C // dark purple: what load balancing did
	nightInk     ink = 0xCC79A7 // reddish purple: the runs of a night
	stepInk      ink = 0x000000 // black: from where on nights differ from those before
	axisInk      ink = 0x555555
	gridInk      ink = 0xE4E4E4
	paperInk     ink = 0xFFFFFF
	// groundInk is where a heat map has nothing. Unlike the paper it is the same on a
	// dark page, where the scales, which begin beside it, are the same, too.
	groundInk ink = 0xFDFDFD
)

// RGBA implements color.Color.
func (i ink) RGBA() (r, g, b, a uint32) {
	return uint32(i>>16&0xFF) * 0x101, uint32(i>>8&0xFF) * 0x101, uint32(i&0xFF) * 0x101, 0xFFFF
}

// The sizes of text, in points.
const (
	titleSize   vg.Length = 14
	headingSize vg.Length = 10.5
	labelSize   vg.Length = 10
	tickSize    vg.Length = 9
)

// bold is the font weight of that name.
const bold = 3

// typeface names the font of all text; gonum/plot carries it along.
func typeface() font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans"} }

// write returns a style of text that begins at its point and stands on it.
func write(size vg.Length, colour ink) text.Style {
	return text.Style{Color: colour, Font: font.From(typeface(), size), Handler: plot.DefaultTextHandler}
}

func writeBold(size vg.Length, colour ink) text.Style {
	style := write(size, colour)
	style.Font.Weight = bold
	return style
}

func stroke(width vg.Length, colour ink, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: colour, Dashes: dashes}
}

func targetLine() draw.LineStyle { return stroke(1.5, targetInk, 7, 4) }
