package clock

import "math/bits"

// Stream is a named source of chance: a pure function of seed, name, number and
// attempt. It is a value, safe for concurrent use.
type Stream struct{ key uint64 }

// NewStream returns the stream of that name under a root seed. Streams of
// different names are independent.
func NewStream(seed uint64, name string) Stream {
	// FNV-1a over the name, then mixed with the seed.
	const offset, prime = 14695981039346656037, 1099511628211
	h := uint64(offset)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * prime
	}
	return Stream{key: mix(h ^ mix(seed))}
}

// Draw returns the draws that belong to a number.
func (s Stream) Draw(number uint64) Draw { return s.Try(number, 0) }

// Try returns the draws that belong to one attempt at a number.
func (s Stream) Try(number uint64, attempt int) Draw {
	const first, ofFirst = 0x632be59bd9b4e019, 0x6db6ca64564daeaa // what most draws belong to, mixed beforehand
	of := uint64(ofFirst)
	if attempt != 0 {
		of = mix(uint64(attempt) + first)
	}
	return Draw{state: mix(s.key^mix(number)) + of}
}

// Draw yields the chances of one number, one after another. It implements
// math/rand/v2.Source. It is cheap to make and belongs to one goroutine.
type Draw struct{ state uint64 }

// Uint64 returns the next 64 random bits (SplitMix64, Steele and others 2014).
func (d *Draw) Uint64() uint64 {
	d.state += 0x9e3779b97f4a7c15
	return mix(d.state)
}

// Float64 returns the next draw from the uniform distribution over [0, 1).
func (d *Draw) Float64() float64 { return float64(d.Uint64()>>11) / (1 << 53) }

// IntN returns the next draw from 0 … n-1, each as likely as the others to
// within n/2⁶⁴. It panics unless n is positive.
func (d *Draw) IntN(n int) int {
	if n <= 0 {
		panic("clock: IntN of a bound that is not positive")
	}
	high, _ := bits.Mul64(d.Uint64(), uint64(n))
	return int(high)
}

// mix is the finaliser of SplitMix64: a bijection that spreads every input bit
// over all output bits.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
