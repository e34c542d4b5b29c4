package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/palette/moreland"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is an opaque colour, 0xRRGGBB. It is a constant, which no caller can change.
type ink uint32

var _ color.Color = ink(0)

// Each colour has one meaning in all charts. The colours of data are from the set by Okabe and Ito, which readers with
// any kind of colour vision can distinguish.
const (
	servedInk    ink = 0x0072B2 // blue: everything served
	getInk       ink = 0x56B4E9 // sky blue: served by GET
	putInk       ink = 0x009E73 // bluish green: served by PUT
	otherInk     ink = 0x8FA3AD // grey: served by other operations
	throttledInk ink = 0xD55E00 // vermillion: throttled attempts and their waits
	lostInk      ink = 0xE69F00 // orange: offered, never served by the target
	failedInk    ink = 0x6F5A7E // grey purple: failed attempts
	generatorInk ink = 0x9C755F // brown: operations that the generator dropped or sent late
	targetInk    ink = 0x222222 // the partition target, always dashed
	textInk      ink = 0x222222
	fadedInk     ink = 0x6B6B6B // service time, secondary text
	eventInk     ink = 0x7A1F5C // dark purple: load balancing
	nightInk     ink = 0xCC79A7 // reddish purple: the runs of a night
	stepInk      ink = 0x000000 // black: a step between nights
	axisInk      ink = 0x555555
	gridInk      ink = 0xE4E4E4
	paperInk     ink = 0xFFFFFF
	// groundInk is the empty cell of a heat map. A dark page inverts heat maps, and this colour with them.
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

// write returns a style of text that begins at its point and stands on it.
func write(size vg.Length, colour ink) text.Style {
	return text.Style{Color: colour, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), Handler: plot.DefaultTextHandler}
}

// writeBold returns the style of [write] in bold.
func writeBold(size vg.Length, colour ink) text.Style {
	style := write(size, colour)
	style.Font.Weight = bold
	return style
}

// align returns a style of text with another alignment.
func align(style text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	style.XAlign, style.YAlign = x, y
	return style
}

func stroke(width vg.Length, colour ink, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: colour, Dashes: dashes}
}

// shades is the colour scale of a heat map: larger values are darker, in steps that look evenly spaced, also without
// colour vision and on grey paper. It goes from lightest at 0 to full at the anchor. Above the anchor it continues
// with steeper steps, all darker than the shades below, and ends a quarter above the anchor. The tones go from full to
// lightest; one between them keeps blue from a purple tint.
type shades struct {
	tones  []color.Color
	beyond ink
	anchor float64
	// log selects a logarithmic scale: equal steps are equal factors. An open scale has values above the anchor.
	log, open bool
}

// The number of steps of a scale, up to its anchor and above. With few steps, equal neighbours are drawn as one, which
// keeps a drawing small; the eye distinguishes about as many.
const (
	stepsWithin = 40
	stepsBeyond = 10
	steps       = stepsWithin + stepsBeyond
	// maxBeyond is the share above the anchor at which the scale ends.
	maxBeyond = .25
)

// The scales of heat maps: served, up to a target; throttled, up to the maximum; rows that have no partition target;
// and operations by response time.
var (
	servedShades    = shades{tones: []color.Color{servedInk, ink(0x86B3D7), ink(0xE3EFF7)}, beyond: 0x03142B}
	throttledShades = shades{tones: []color.Color{throttledInk, ink(0xFFE6D6)}, beyond: throttledInk}
	asideShades     = shades{tones: []color.Color{ink(0x5C6C75), ink(0xEDF0F2)}, beyond: 0x5C6C75}
	responseShades  = shades{tones: []color.Color{ink(0x10202B), ink(0xDDE5EA)}, beyond: 0x10202B, log: true}
)

// upTo returns the scale with its anchor at a value.
func (s shades) upTo(anchor float64) shades {
	s.anchor = anchor
	return s
}

// step returns the step of a value: 0 for nothing, then 1 to steps. Any value above 0 has a step above 0.
func (s *shades) step(v float64) int {
	if !(v > 0) {
		return 0
	}
	if !(s.anchor > 0) {
		return 1
	}
	share := v / s.anchor
	if s.log && share <= 1 {
		share = math.Log1p(v) / math.Log1p(s.anchor)
	}
	if share <= 1 {
		return 1 + int(min(share*stepsWithin, stepsWithin-1))
	}
	return stepsWithin + 1 + int(min((share-1)/maxBeyond*stepsBeyond, stepsBeyond-1))
}

func (s *shades) colour(step int) color.Color {
	switch {
	case step <= 0:
		return groundInk
	case step <= stepsWithin:
		return mix(float64(step-1)/(stepsWithin-1), s.tones...)
	default:
		// The first step above the anchor leaps, so that it cannot be mistaken for the last one below.
		const leap = .2
		return mix(leap+(1-leap)*float64(step-stepsWithin-1)/(stepsBeyond-1), s.beyond, s.tones[0])
	}
}

// mix interpolates between colours that are sorted from dark to light: 0 is the last one, 1 the first. Steps of equal
// size look equal, because they are equal in CIELAB.
func mix(share float64, colours ...color.Color) color.Color {
	scale, err := moreland.NewLuminance(colours)
	if err != nil || share >= 1 {
		return colours[0] // an error means that they are one colour
	}
	scale.SetMax(1)
	mixed, _ := scale.At(1 - share)
	return color.RGBAModel.Convert(mixed)
}
