package chart

import (
	"image/color"
	"math"

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
	// groundInk is where a heat map has nothing. A dark page turns maps about, and this
	// with them.
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

func writeBold(size vg.Length, colour ink) text.Style {
	style := write(size, colour)
	style.Font.Weight = bold
	return style
}

func stroke(width vg.Length, colour ink, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: colour, Dashes: dashes}
}

func targetLine() draw.LineStyle { return stroke(1.5, targetInk, 7, 4) }

// shades is the colour scale of a heat map: the more, the darker, in steps that look
// equally far apart, so that it can be read without colour vision and on grey paper.
// From 0 to anchor it goes from least to full; what is above goes on, twice as steeply
// and to a darkness that nothing below has, until a quarter above the anchor.
type shades struct {
	least, full, beyond ink
	anchor              float64
	// log says that equal steps are equal factors.
	log bool
}

// A scale has so many steps up to its anchor and above. Few steps let equal neighbours
// run together, which is what keeps a drawing small; the eye tells about as many.
const (
	stepsWithin = 40
	stepsBeyond = 10
	steps       = stepsWithin + stepsBeyond
	// mostBeyond is by what share above the anchor the scale ends.
	mostBeyond = .25
)

// The scales of heat, each in the hue of what it counts: what was served, against a target; what
// was throttled, at most; what is not held against a partition's target; and operations by the
// time that they took, as curves of response times are.
var (
	servedShades    = shades{least: 0xE3EFF7, full: servedInk, beyond: 0x03142B}
	throttledShades = shades{least: 0xFFE6D6, full: 0xB84400, beyond: 0xB84400}
	asideShades     = shades{least: 0xEDF0F2, full: 0x5C6C75, beyond: 0x5C6C75}
	responseShades  = shades{least: 0xDDE5EA, full: 0x10202B, beyond: 0x10202B, log: true}
)

// upTo returns the scale with its darkest shade at a value.
func (s shades) upTo(anchor float64) shades {
	s.anchor = anchor
	return s
}

// step returns the place of a value on the scale: 0 for nothing, then 1 to steps. What is
// not nothing is never drawn as nothing.
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
	return stepsWithin + 1 + int(min((share-1)/mostBeyond*stepsBeyond, stepsBeyond-1))
}

func (s *shades) colour(step int) ink {
	switch {
	case step <= 0:
		return groundInk
	case step <= stepsWithin:
		return mix(s.least, s.full, float64(step-1)/(stepsWithin-1))
	default:
		// The first step above is a leap, so that it cannot be taken for the last below.
		const leap = .2
		return mix(s.full, s.beyond, leap+(1-leap)*float64(step-stepsWithin-1)/(stepsBeyond-1))
	}
}

// mix returns a colour between two by Björn Ottosson's Oklab, in which equal distances
// look equally far.
func mix(a, b ink, share float64) ink {
	from, to := oklab(a), oklab(b)
	for i := range from {
		from[i] += (to[i] - from[i]) * share
	}
	l := cube(from[0] + .3963377774*from[1] + .2158037573*from[2])
	m := cube(from[0] - .1055613458*from[1] - .0638541728*from[2])
	s := cube(from[0] - .0894841775*from[1] - 1.2914855480*from[2])
	return channel(4.0767416621*l-3.3077115913*m+.2309699292*s)<<16 |
		channel(-1.2684380046*l+2.6097574011*m-.3413193965*s)<<8 |
		channel(-.0041960863*l-.7034186147*m+1.7076147010*s)
}

// oklab returns lightness, from green to red, and from blue to yellow.
func oklab(c ink) [3]float64 {
	r, g, b := brightness(c>>16), brightness(c>>8), brightness(c)
	l := math.Cbrt(.4122214708*r + .5363325363*g + .0514459929*b)
	m := math.Cbrt(.2119034982*r + .6806995451*g + .1073969566*b)
	s := math.Cbrt(.0883024619*r + .2817188376*g + .6299787005*b)
	return [3]float64{
		.2104542553*l + .7936177850*m - .0040720468*s,
		1.9779984951*l - 2.4285922050*m + .4505937099*s,
		.0259040371*l + .7827717662*m - .8086757660*s,
	}
}

func cube(v float64) float64 { return v * v * v }

// brightness returns the light of the lowest channel of a colour, 0 to 1.
func brightness(c ink) float64 {
	v := float64(c&0xFF) / 0xFF
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

func channel(light float64) ink {
	light = clampToUnit(light)
	if light <= .0031308 {
		light *= 12.92
	} else {
		light = 1.055*math.Pow(light, 1/2.4) - .055
	}
	return ink(math.Round(light * 0xFF))
}
