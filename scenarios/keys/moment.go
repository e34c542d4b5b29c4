package keys

import "math"

// The counters of a [Moment].
const (
	counterBits = 16
	counters    = 1 << counterBits
)

// Moment estimates the sum of the squares of the keys' weights, by the tug of war
// of Alon, Matias and Szegedy (1996) in the form of Thorup and Zhang (2004): each
// key pulls one of many counters up or down, as its hash has it, and what two
// keys do to the same counter cancels out in the long run. The zero value has
// been told nothing.
type Moment struct{ counter [counters]int64 }

// Add adds to the weight of the key of that hash.
func (m *Moment) Add(hash uint64, weight int64) {
	// The sign is the lowest bit, the counter the highest ones.
	sign := int64(hash&1)<<1 - 1
	m.counter[hash>>(64-counterBits)] += sign * weight
}

// Estimate returns about the sum of the squares of all keys' weights.
func (m *Moment) Estimate() float64 {
	sum := 0.0
	for _, pull := range m.counter {
		sum += float64(pull) * float64(pull)
	}
	return sum
}

// StandardError returns the greatest standard error of the estimate, as a part of
// it: the variance is (2/counters) × (F₂² − F₄), F₂ being the sum and F₄ that of
// the fourth powers, so that few heavy keys have a smaller one.
func (m *Moment) StandardError() float64 { return math.Sqrt(2.0 / counters) }
