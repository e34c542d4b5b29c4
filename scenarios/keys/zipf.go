package keys

import (
	"math"

	"loadgen/engine/clock"
)

// Zipf takes the value of rank k, counted from 1, as often as 1/kˢ says, s being
// the exponent: with s = 1 the first comes up twice as often as the second and ten
// times as often as the tenth.
type Zipf struct {
	_ struct{} `object:"a zipf"`
	Ranked
	// Exponent is 0, where all values are alike, to 5.
	Exponent float64 `yaml:"exponent,required" says:"How steeply shares fall with rank: 0 is uniform." range:"0..5" expected:"an exponent from 0 to 5, such as 1.1"`
}

var _ Distribution = Zipf{}

// Faults implements [Distribution].
func (z Zipf) Faults(path string) []error { return z.Ranked.Faults(path + ".zipf") }

func (z Zipf) place(i int) (path, what string) { return z.Ranked.place(".zipf", i) }

// Compile implements [Distribution].
func (z Zipf) Compile(once clock.Stream) ValueSource {
	return z.source(newPower(z.size(), z.Exponent), once)
}

// power picks ranks by Zipf's law exactly, for any exponent and any number of
// ranks, without a table of them: rejection-inversion (Hörmann and Derflinger
// 1996). Under the falling curve h(x) = x⁻ˢ the area from k-½ to k+½ is a little
// more than h(k), for h is convex. A point is drawn evenly from the area between 1½
// and most+½ and a stretch of length h(1) before it, its rank looked up by the
// inverse of the area, and it is refused where it lies in the first sliver of its
// rank's area, which is what is too much. The sliver grows thin with the rank.
type power struct {
	most     int64
	exponent float64
	// rest is 1 - exponent and root what undoes it, 1 / rest; 0 where rest is 0.
	rest, root float64
	// from and to bound the areas that are drawn from.
	from, to float64
	// slivers has for each of the first ranks the distance below it within which a point is accepted;
	// the last of them is valid for all further ranks.
	slivers [firstRanks]float64
}

// firstRanks is from where on slivers are so thin that a point seldom lies near
// one.
const firstRanks = 65

func newPower(most int64, exponent float64) *power {
	p := &power{most: most, exponent: exponent, rest: 1 - exponent}
	if p.rest != 0 {
		p.root = 1 / p.rest
	}
	p.from = p.area(1.5) - 1
	p.to = p.area(float64(most) + 0.5)
	for k := range p.slivers {
		rank := float64(max(k, 1))
		p.slivers[k] = rank - p.inverse(p.area(rank+0.5)-p.height(rank))
	}
	return p
}

func (p *power) pick(_ uint64, draw clock.Draw) int64 { return p.rank(p.to, p.most, &draw) }

// rank picks from 0 … most-1, to being the area up to most+½.
func (p *power) rank(to float64, most int64, draw *clock.Draw) int64 {
	for {
		// The draw is below 1, so that the point lies above from.
		point := to + draw.Float64()*(p.from-to)
		x := p.inverse(point)
		k := min(max(int64(x+0.5), 1), most)
		if float64(k)-x <= p.slivers[min(k, firstRanks-1)] {
			return k - 1
		}
		if k >= firstRanks && point >= p.area(float64(k)+0.5)-p.height(float64(k)) {
			return k - 1
		}
	}
}

func (p *power) height(x float64) float64 { return math.Exp(-p.exponent * math.Log(x)) }

// area is the integral of the height from 1 to x: (x^(1-s) - 1) / (1-s), which goes
// over into ln x as s goes to 1.
func (p *power) area(x float64) float64 {
	if p.rest == 0 {
		return math.Log(x)
	}
	return math.Expm1(p.rest*math.Log(x)) / p.rest
}

// inverse is where the area reaches a value.
func (p *power) inverse(area float64) float64 {
	if p.rest == 0 {
		return math.Exp(area)
	}
	// The area is bounded if s > 1; rounding must not exceed it.
	return math.Exp(math.Log1p(max(p.rest*area, -1)) * p.root)
}
