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

// align returns a style of text with another vertical alignment.
func align(style text.Style, y text.YAlignment) text.Style {
	style.YAlign = y
	return style
}

func stroke(width vg.Length, colour ink, dashes ...vg.Length) draw.LineStyle {
	return draw.LineStyle{Width: width, Color: colour, Dashes: dashes}
}

func targetLine() draw.LineStyle { return stroke(1.5, targetInk, 7, 4) }

// shades is the colour scale of a heat map: larger values are darker, in steps that look evenly spaced, also without
// colour vision and on grey paper. It goes from lightest at 0 to full at the anchor. Above the anchor it continues
// with steeper steps, all darker than the shades below, and ends a quarter above the anchor.
type shades struct {
	lightest, full, beyond ink
	anchor                 float64
	// log selects a logarithmic scale: equal steps are equal factors.
	log bool
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
	servedShades    = shades{lightest: 0xE3EFF7, full: servedInk, beyond: 0x03142B}
	throttledShades = shades{lightest: 0xFFE6D6, full: 0xB84400, beyond: 0xB84400}
	asideShades     = shades{lightest: 0xEDF0F2, full: 0x5C6C75, beyond: 0x5C6C75}
	responseShades  = shades{lightest: 0xDDE5EA, full: 0x10202B, beyond: 0x10202B, log: true}
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

func (s *shades) colour(step int) ink {
	switch {
	case step <= 0:
		return groundInk
	case step <= stepsWithin:
		return mix(s.lightest, s.full, float64(step-1)/(stepsWithin-1))
	default:
		// The first step above the anchor leaps, so that it cannot be mistaken for the last one below.
		const leap = .2
		return mix(s.full, s.beyond, leap+(1-leap)*float64(step-stepsWithin-1)/(stepsBeyond-1))
	}
}

// mix returns a colour between two in Björn Ottosson's Oklab, where equal distances look equal.
func mix(a, b ink, share float64) ink {
	from, to := oklab(a), oklab(b)
	for i := range from {
		from[i] += (to[i] - from[i]) * share
	}
	cube := func(v float64) float64 { return v * v * v }
	l := cube(from[0] + .3963377774*from[1] + .2158037573*from[2])
	m := cube(from[0] - .1055613458*from[1] - .0638541728*from[2])
	s := cube(from[0] - .0894841775*from[1] - 1.2914855480*from[2])
	return channel(4.0767416621*l-3.3077115913*m+.2309699292*s)<<16 |
		channel(-1.2684380046*l+2.6097574011*m-.3413193965*s)<<8 |
		channel(-.0041960863*l-.7034186147*m+1.7076147010*s)
}

// oklab returns the lightness of a colour, its green-red axis and its blue-yellow axis.
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

// brightness returns the light of the lowest channel of a colour, 0 to 1.
func brightness(c ink) float64 {
	v := float64(c&0xFF) / 0xFF
	if v <= .04045 {
		return v / 12.92
	}
	return math.Pow((v+.055)/1.055, 2.4)
}

// channel returns the channel of a colour with this light, the inverse of [brightness].
func channel(light float64) ink {
	light = clampToUnit(light)
	if light <= .0031308 {
		light *= 12.92
	} else {
		light = 1.055*math.Pow(light, 1/2.4) - .055
	}
	return ink(math.Round(light * 0xFF))
}
