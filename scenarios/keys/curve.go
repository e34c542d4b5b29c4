package keys

import (
	"math"
	"slices"
	"sort"
	"sync"

	"loadgen/engine/clock"
)

// SizeDistribution says how large entities are: [*Quantiles], or a [*Curve].
type SizeDistribution interface {
	// Ends returns the minimum and the maximum size, in bytes. A curve without a minimum
	// returns its median instead.
	Ends() (least, most int)
	// NewSizes returns what draws sizes from a stream.
	NewSizes(from clock.Stream) *Sizes
}

var (
	_ SizeDistribution = (*Quantiles)(nil)
	_ SizeDistribution = (*Curve)(nil)
)

// The kinds of a [Curve].
const (
	CurveUniform   = "uniform"
	CurveLognormal = "lognormal"
	CurvePareto    = "pareto"
	CurveZipf      = "zipf"
	CurveList      = "list"
	CurveCSV       = "csv"
)

// Curve is a distribution of sizes by a formula or by data. The size of an entity is a pure
// function of the seed and its number: the curve's quantile at a share that is drawn evenly,
// rounded to whole bytes and cut to Low and High.
type Curve struct {
	// Kind is one of those above.
	Kind string
	// Median and Sigma are those of a lognormal curve: sizes are Median · exp(Sigma · z), z of
	// the normal distribution. Where P99 is set, Sigma follows from it.
	Median int     `lognormal:"p50,required" says:"The median." range:"1..1048576"`
	P99    int     `lognormal:"p99,omitempty" says:"The 99th percentile." range:"1..1048576"`
	Sigma  float64 `lognormal:"sigma,omitempty" says:"Standard deviation of the logarithm, instead of p99." range:"0.01..5" expected:"a number from 0.01 to 5, such as 0.6"`
	// Low and High are the least and the greatest size, in bytes. A lognormal curve may have
	// no least one, 0: an entity then has what its keys and properties take.
	Low int `lognormal:"min,omitempty" lognormal.says:"Minimum; that of keys and properties by default." pareto:"min,required" zipf:"min,required" says:"Minimum, the most frequent size." range:"1..1048576"`
	// Tail is the exponent of a Pareto curve: the share of sizes above x is (Low/x)^Tail.
	Tail float64 `pareto:"tail,required" says:"Exponent: a share of (min/x)^tail is above x; smaller is heavier." range:"0.1..100" expected:"a number from 0.1 to 100, such as 1.5"`
	High int     `lognormal:"max,omitempty,default=1048576" pareto:"max,omitempty,default=1048576" says:"Maximum, to which larger sizes are cut; 1 MiB by default." zipf:"max,required" zipf.says:"The maximum." range:"1..1048576"`
	// Exponent is that of Zipf: the size Low + k − 1 is as frequent as 1/k^Exponent says.
	Exponent float64 `zipf:"exponent,required" says:"How steeply shares fall with size: 0 is uniform." range:"0..5" expected:"an exponent from 0 to 5, such as 0.99"`
	// List are sizes and Weights how often each is taken, evenly without; of a file they are
	// set once it has been read.
	List    []int64 `yaml:"list" says:"Sizes in bytes." list:"1..10000 sizes in bytes" range:"1..1048576"`
	Weights []int64 `yaml:"weights" says:"Relative weight of each size; equal by default." list:"1..10000 weights" range:"1..1000000000"`
	// File says where the sizes of a [CurveCSV] stand.
	File CSV
}

// z99 is the 99th percentile of the normal distribution.
var z99 = math.Sqrt2 * math.Erfinv(2*0.99-1)

// Spread returns sigma, from P99 where that is set.
func (c *Curve) Spread() float64 {
	if c.P99 > 0 {
		return math.Log(float64(c.P99)/float64(c.Median)) / z99
	}
	return c.Sigma
}

// topmost is the greatest share that is ever drawn.
const topmost = 1 - 1./(1<<53)

// Ends implements [SizeDistribution].
func (c *Curve) Ends() (least, most int) {
	switch {
	case c.Unread():
		return 1, 1
	case c.Kind == CurveUniform || c.Kind == CurveZipf:
		return c.Low, c.High
	case c.Kind == CurveList || c.Kind == CurveCSV:
		return int(slices.Min(c.List)), int(slices.Max(c.List))
	}
	at := c.inverse()
	if least = c.Low; least == 0 {
		least = min(c.Median, c.High)
	}
	return least, min(c.High, max(least, int(math.Ceil(at(topmost)))))
}

// Unread reports whether the curve waits for its file.
func (c *Curve) Unread() bool { return c.Kind == CurveCSV && c.List == nil }

// inverse returns the size that a share of the entities, below 1, does not exceed, before it
// is rounded and cut.
func (c *Curve) inverse() func(share float64) float64 {
	switch c.Kind {
	case CurveUniform:
		return func(share float64) float64 { return float64(c.Low) + math.Floor(share*float64(c.High-c.Low+1)) }
	case CurveLognormal:
		median, sigma := float64(c.Median), c.Spread()
		return func(share float64) float64 { return median * math.Exp(sigma*math.Sqrt2*math.Erfinv(2*share-1)) }
	case CurvePareto:
		return func(share float64) float64 { return float64(c.Low) * math.Pow(1-share, -1/c.Tail) }
	case CurveZipf:
		upTo := make([]float64, c.High-c.Low+1)
		sum := 0.
		for k := range upTo {
			sum += math.Pow(float64(k+1), -c.Exponent)
			upTo[k] = sum
		}
		return func(share float64) float64 { return float64(c.Low + position(upTo, share)) }
	default:
		upTo := make([]float64, len(c.List))
		sum := 0.
		for i := range upTo {
			weight := int64(1)
			if c.Weights != nil {
				weight = c.Weights[i]
			}
			sum += float64(weight)
			upTo[i] = sum
		}
		return func(share float64) float64 { return float64(c.List[position(upTo, share)]) }
	}
}

// position returns which of several parts a share of their sum lies in; upTo are the sums
// up to the end of each.
func position(upTo []float64, share float64) int {
	point := share * upTo[len(upTo)-1]
	return min(sort.Search(len(upTo), func(i int) bool { return upTo[i] > point }), len(upTo)-1)
}

// NewSizes implements [SizeDistribution].
func (c *Curve) NewSizes(from clock.Stream) *Sizes {
	low, high := c.Low, c.High
	if c.Kind == CurveList || c.Kind == CurveCSV {
		low, high = c.Ends()
	}
	s := &Sizes{from: from, inverse: c.inverse(), low: low, high: high}
	s.mean = sync.OnceValue(s.average)
	return s
}

// Cut returns the share of sizes that the curve has above the greatest one, which are drawn as
// that; 0 for a curve without such a tail.
func (c *Curve) Cut() float64 {
	high := float64(c.High) + .5
	switch c.Kind {
	case CurveLognormal:
		return math.Erfc(math.Log(high/float64(c.Median))/(c.Spread()*math.Sqrt2)) / 2
	case CurvePareto:
		return math.Pow(float64(c.Low)/high, c.Tail)
	default:
		return 0
	}
}
