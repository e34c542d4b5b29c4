package keys

import (
	"math/bits"

	"loadgen/engine/clock"
)

// permutation exchanges the integers 0 … size-1 without a table: it returns each exactly
// once. A hash modulo the size would omit about
// one in e of the values and give others to several ranks.
//
// It is a Feistel network of two halves over the minimum number of bits that hold size. Each round adds to one half
// a function of the other, and is therefore invertible. A result above the size passes through the network
// again ("cycle walking", Black and Rogaway 2002). Less than two passes are needed on
// average.
type permutation struct {
	size uint64
	// low and high are how many bits the halves have.
	low, high uint
	keys      [rounds]uint64
}

// rounds is what makes a pseudo-random permutation of pseudo-random functions (Luby
// and Rackoff 1988).
const rounds = 4

func newPermutation(size int64, chance clock.Stream) *permutation {
	width := uint(bits.Len64(uint64(size - 1)))
	p := &permutation{size: uint64(size), low: width / 2, high: width - width/2}
	for i := range p.keys {
		draw := chance.Draw(uint64(i))
		p.keys[i] = draw.Uint64()
	}
	return p
}

// walk returns what an integer from 0 to size-1 is exchanged with by the permutation of a
// number, of as many as are wanted.
func (p *permutation) walk(x, number uint64) int64 {
	low, high := uint64(1)<<p.low-1, uint64(1)<<p.high-1
	number *= 0x9e3779b97f4a7c15
	for {
		a, b := x&low, x>>p.low
		for i := 0; i < rounds; i += 2 {
			a ^= blend(b^p.keys[i]^number) & low
			b ^= blend(a^p.keys[i+1]^number) & high
		}
		if x = b<<p.low | a; x < p.size {
			return int64(x)
		}
	}
}

// blend spreads the bits of a half over all bits: both words of a product, the
// factor being that of wyhash.
func blend(half uint64) uint64 {
	upper, lower := bits.Mul64(half, 0xa0761d6478bd642f)
	return upper ^ lower
}
