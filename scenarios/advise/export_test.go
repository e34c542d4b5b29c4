package advise

import (
	"math"
	"math/rand/v2"
)

// DrawnLog returns the keys in time of ten seconds of drawn traffic, up to 4,000/s, the rate of the busiest one, and the
// share of the rows that token buckets refuse at that rate.
func DrawnLog(n int) (what, text string, rate, refused float64) {
	const seconds = 10
	chance := rand.New(rand.NewPCG(uint64(n), 81))
	drawn := drawTraffic(n, chance)
	busiest := 0
	window := func(from int) traffic {
		cut := traffic{what: drawn.what}
		for _, one := range drawn.streams {
			one.rates = one.rates[from : from+seconds]
			cut.streams = append(cut.streams, one)
		}
		return cut
	}
	for from := range len(drawn.streams[0].rates) - seconds {
		if this, other := window(from), window(busiest); this.peak() > other.peak() {
			busiest = from
		}
	}
	drawn = window(busiest)
	carries, _ := drawn.carries()
	scale := min(4000, carries*math.Exp(1.4*chance.Float64()-0.7)) / drawn.peak()
	for i := range drawn.streams {
		one := &drawn.streams[i]
		one.rates = append([]float64(nil), one.rates...)
		for second := range one.rates {
			one.rates[second] *= scale
		}
	}
	return drawn.what, drawn.file(chance, n/8%2 == 0), drawn.peak(), drawn.throttled(drawn.peak())
}
