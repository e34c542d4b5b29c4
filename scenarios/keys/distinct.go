package keys

import (
	"math"
	"math/bits"
)

// The registers of a [DistinctKeys]: a byte each.
const (
	registerBits = 14
	registers    = 1 << registerBits
)

// DistinctError is the standard error of [DistinctKeys.Estimate], as a part of it: 1.04 by the
// root of the number of registers.
const DistinctError = 1.04 / (1 << (registerBits / 2))

// DistinctKeys estimates the number of different hashes that were added, by HyperLogLog
// (Flajolet, Fusy, Gandouet, Meunier, 2007): of the hashes that begin alike, the
// longest run of zeros that follows says how many there were. Below 2.5 hashes a
// register the empty registers are more exact (linear counting). The zero value
// is empty.
type DistinctKeys struct{ longest [registers]uint8 }

// Add takes a hash.
func (d *DistinctKeys) Add(hash uint64) {
	register := &d.longest[hash>>(64-registerBits)]
	// The bit at the end stops the run where nothing but zeros follows.
	run := uint8(bits.LeadingZeros64(hash<<registerBits|1<<(registerBits-1))) + 1
	*register = max(*register, run)
}

// Estimate returns about how many different hashes there were.
func (d *DistinctKeys) Estimate() float64 {
	sum, empty := 0.0, 0
	for _, run := range d.longest {
		sum += math.Ldexp(1, -int(run))
		if run == 0 {
			empty++
		}
	}
	const correction = 0.7213 / (1 + 1.079/registers)
	estimate := correction * registers * registers / sum
	if estimate <= 2.5*registers && empty > 0 {
		return registers * math.Log(registers/float64(empty))
	}
	return estimate
}

// The counters of a [Moment].
const (
	counterBits = 16
	counters    = 1 << counterBits
)

// MomentError is the greatest standard error of [Moment.Estimate], as a part of it: the
// variance is (2/counters) × (F₂² − F₄), F₂ being the sum and F₄ that of the fourth powers, so
// that few heavy keys have a smaller one.
const MomentError = math.Sqrt2 / (1 << (counterBits / 2))

// Moment estimates the sum of the squares of the keys' weights, by the tug of war
// of Alon, Matias and Szegedy (1996) in the form of Thorup and Zhang (2004): each
// key pulls one of many counters up or down, as its hash has it, and what two
// keys do to the same counter cancels out in the long run. The zero value is empty.
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
