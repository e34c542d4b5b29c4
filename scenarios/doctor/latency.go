package doctor

import (
	"math"
	"slices"
)

// estimate is a value with its 95% interval, in seconds or per second.
type estimate struct {
	value, low, high float64
	samples          int
}

// minSamples is the minimum number of samples.
const minSamples = 30

// quantileOf returns a quantile with its interval by order statistics: the number of samples below
// a quantile is binomial for any distribution. It needs ten samples on either side.
func quantileOf(values []float64, q float64) (estimate, bool) {
	n := float64(len(values))
	if len(values) < minSamples || n*min(q, 1-q) < 10 {
		return estimate{}, false
	}
	sorted := slices.Sorted(slices.Values(values))
	room := z95 * math.Sqrt(n*q*(1-q))
	at := func(rank float64) float64 { return sorted[int(min(max(rank, 0), n-1))] }
	place := q * (n - 1)
	before := int(place)
	value := sorted[before] + (place-float64(before))*(sorted[before+1]-sorted[before])
	return estimate{value, at(math.Floor(n*q - room - 1)), at(math.Ceil(n*q + room)), len(values)}, true
}

// z95 is the number of standard deviations that hold 95% of a normal variable.
const z95 = 1.96

// calibratedService splits latencies into a constant round trip and log-normal work with a shared
// spread, as the model does.
type calibratedService struct {
	// way is in seconds, spread is a coefficient of variation.
	way, spread estimate
}

// fit returns the round trip of maximum likelihood on a grid. The interval has all values whose
// doubled log-likelihood is within 3.84 of the maximum, so a flat likelihood gives a wide one.
func fit(kinds ...[]float64) calibratedService {
	shortest, n := math.Inf(1), 0
	for _, values := range kinds {
		shortest, n = min(shortest, slices.Min(values)), n+len(values)
	}
	const steps = 200
	// The grid ends below the shortest sample, where the likelihood is unbounded.
	grid := make([]float64, steps)
	likely := make([]float64, steps)
	best := 0
	for i := range grid {
		grid[i] = shortest * 0.995 * float64(i) / steps
		likely[i], _ = likelihood(grid[i], kinds)
		if likely[i] > likely[best] {
			best = i
		}
	}
	const within = 3.84 / 2
	low, high := best, best
	for low > 0 && likely[low-1] > likely[best]-within {
		low--
	}
	for high < steps-1 && likely[high+1] > likely[best]-within {
		high++
	}
	step := grid[1] - grid[0]
	s := calibratedService{way: estimate{grid[best], max(0, grid[low]-step), min(shortest, grid[high]+step), n}}
	variation := func(way float64) float64 {
		_, variance := likelihood(way, kinds)
		return math.Sqrt(math.Expm1(variance))
	}
	room := z95 / math.Sqrt(2*float64(n))
	s.spread = estimate{variation(s.way.value), variation(s.way.low) * (1 - room), variation(min(s.way.high, shortest*0.995)) * (1 + room), n}
	return s
}

// likelihood returns the log-likelihood of a round trip, up to a constant, and the variance of the
// logarithms of the work around each kind's mean.
func likelihood(way float64, kinds [][]float64) (likely, variance float64) {
	var squares, logs float64
	n := 0
	for _, values := range kinds {
		var sum, sumOfSquares float64
		for _, v := range values {
			l := math.Log(v - way)
			sum, sumOfSquares = sum+l, sumOfSquares+l*l
		}
		squares += max(0, sumOfSquares-sum*sum/float64(len(values)))
		logs, n = logs+sum, n+len(values)
	}
	const nothing = 1e-12
	variance = max(nothing, squares/float64(n))
	return -float64(n)/2*math.Log(variance) - logs, variance
}

// mean returns an operation's mean work from its median latency: the median of a log-normal
// variable of mean m and variation c is m / √(1 + c²).
func (s *calibratedService) mean(median estimate) estimate {
	factor := func(c float64) float64 { return math.Sqrt(1 + c*c) }
	return estimate{
		(median.value - s.way.value) * factor(s.spread.value),
		max(0, median.low-s.way.high) * factor(s.spread.low),
		max(0, median.high-s.way.low) * factor(s.spread.high), median.samples}
}

// less returns the difference of two medians of independent samples, at least 0.
func (e estimate) less(other estimate) estimate {
	value := e.value - other.value
	under := math.Hypot(e.value-e.low, other.high-other.value)
	over := math.Hypot(e.high-e.value, other.value-other.low)
	return estimate{max(0, value), max(0, value-under), max(0, value+over), min(e.samples, other.samples)}
}

// maxSpread is the model's maximum spread, as a share of the mean.
const maxSpread = 2

// transform applies a function to the value and to both ends of the interval.
func (e estimate) transform(f func(float64) float64) estimate {
	return estimate{f(e.value), f(e.low), f(e.high), e.samples}
}
