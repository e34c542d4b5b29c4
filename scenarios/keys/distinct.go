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

// DistinctKeys estimates how many different hashes it was told, by HyperLogLog
// (Flajolet, Fusy, Gandouet, Meunier, 2007): of the hashes that begin alike, the
// longest run of zeros that follows says how many there were. Below 2.5 hashes a
// register the empty registers say it better (linear counting). The zero value
// has been told none.
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

// StandardError returns the standard error of the estimate, as a part of it:
// 1.04 by the root of the number of registers.
func (d *DistinctKeys) StandardError() float64 { return 1.04 / math.Sqrt(registers) }
