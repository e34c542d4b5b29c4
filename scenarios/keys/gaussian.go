package keys

import (
	"math"

	"loadgen/engine/clock"
)

// Gaussian takes the integers from Low to High, both included, as often as the
// bell curve says: each represents the values within half a unit on either side, and
// values below Low and above High are omitted.
type Gaussian struct {
	_ struct{} `object:"a gaussian"`
	// Mean and Deviation are those of the whole bell.
	Mean      float64 `yaml:"mean,required" says:"The mean." range:"-1000000000000000..1000000000000000"`
	Deviation float64 `yaml:"sd,required" says:"Standard deviation, above 0." range:"0..1000000000000000"`
	Low       int64   `yaml:"low,required" says:"The lowest integer." range:"-1000000000000000..1000000000000000"`
	High      int64   `yaml:"high,required" says:"The highest integer." range:"-1000000000000000..1000000000000000"`
}

var _ Distribution = Gaussian{}

// minInside is the least part of a bell that a range may hold: where less is
// left, the digits of its edges are, too.
const minInside = 1e-6

// Faults implements [Distribution].
func (g Gaussian) Faults(path string) []error {
	switch {
	case !(g.Deviation > 0):
		return []error{valueFaultf(path+".gaussian.sd", "sd is %v; expected above 0, at most %d", g.Deviation, int64(MaxInteger))}
	case g.Low > g.High:
		return []error{valueFaultf(path+".gaussian.low", "low is %d, high %d; expected low at most high", g.Low, g.High)}
	case !(g.bell().inside >= minInside):
		return []error{valueFaultf(path+".gaussian.mean", "low to high hold under %v of the bell; expected wider bounds", minInside)}
	}
	return nil
}

// Probes implements [Distribution].
func (g Gaussian) Probes() []string { return outermost(g.Low, g.High) }

// Compile implements [Distribution].
func (g Gaussian) Compile(clock.Stream) ValueSource { return ValueSource{low: g.Low, picker: g.bell()} }

// bell picks from a truncated bell by the inverse of its running sum.
type bell struct {
	mean, deviation float64
	low, high       int64
	// under is the part of the bell before low, inside the part from low to high. A
	// range above the mean is mirrored, so that under keeps its digits.
	under, inside float64
	mirrored      bool
}

func (g Gaussian) bell() bell {
	b := bell{mean: g.Mean, deviation: g.Deviation, low: g.Low, high: g.High}
	from := (float64(g.Low) - 0.5 - g.Mean) / g.Deviation
	to := (float64(g.High) + 0.5 - g.Mean) / g.Deviation
	if b.mirrored = from > 0; b.mirrored {
		from, to = -to, -from
	}
	b.under, b.inside = below(math.Inf(-1), from), below(from, to)
	return b
}

// below returns which part of the standard bell lies between two points. Far from
// the middle it is a difference of small numbers, not of two near 1.
func below(from, to float64) float64 {
	if from > 0 {
		from, to = -to, -from
	}
	return (math.Erfc(-to/math.Sqrt2) - math.Erfc(-from/math.Sqrt2)) / 2
}

func (b bell) pick(_ uint64, draw clock.Draw) int64 {
	part := b.under + draw.Float64()*b.inside
	z := math.Sqrt2 * math.Erfinv(2*part-1)
	if b.mirrored {
		z = -z
	}
	// An infinite z is cut like any other.
	x := math.Floor(b.mean + b.deviation*z + 0.5)
	return int64(max(float64(b.low), min(x, float64(b.high)))) - b.low
}
