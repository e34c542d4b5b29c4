package partition

import (
	"math"
	"math/bits"
	"time"

	"loadgen/engine/clock"
)

// fading is the exponential decay of sums. It is a table of integers, rounded once, so
// that no later decision depends on floating point.
type fading struct {
	// step is the time between two entries of the table, memory the time constant.
	step, memory int64
	// left is the remaining share after a number of steps, in 2⁻⁶⁴.
	left [fadingSteps]uint64
}

const (
	stepsPerMemory = 256
	// fadingSteps limits the table to eight time constants. The rest, a three-thousandth,
	// counts as zero.
	fadingSteps = 8 * stepsPerMemory
)

func newFading(memory time.Duration) *fading {
	f := &fading{step: max(1, int64(memory)/stepsPerMemory), memory: int64(memory)}
	f.left[0] = math.MaxUint64
	for i := 1; i < fadingSteps; i++ {
		// Coarse enough that the exponentials of all platforms round to the same value.
		f.left[i] = uint64(math.Round(math.Exp(-float64(i)/stepsPerMemory)*(1<<32))) << 32
	}
	return f
}

// fade is a sum with such a decay, in billionths of an entity.
type fade struct {
	sum int64
	at  clock.Instant
}

// bring decays the sum up to now, in whole steps; the rest of a step counts with the
// next.
func (f *fade) bring(now clock.Instant, law *fading) {
	steps := int64(now-f.at) / law.step
	if steps == 0 {
		return
	}
	f.at += clock.Instant(steps * law.step)
	if steps >= fadingSteps {
		f.sum, f.at = 0, now
		return
	}
	left, _ := bits.Mul64(uint64(f.sum), law.left[steps])
	f.sum = int64(left)
}

// add adds a cost, in billionths, to the sum.
func (f *fade) add(now clock.Instant, cost int64, law *fading) {
	f.bring(now, law)
	f.sum = min(f.sum+cost, -deepestDebt)
}

// rate returns the rate of the sum, in thousandths of an entity per second.
func (f *fade) rate(now clock.Instant, law *fading) int64 {
	f.bring(now, law)
	return f.sum / (law.memory / 1000)
}

// averageBits is the fixed point of averages over ticks, 2¹⁶.
const averageBits = 16

// average moves an average towards a value. Zeros alone bring it to zero.
func average(old, value, weight int64) int64 {
	return old + (value-old)*weight>>averageBits
}

// mixRandom draws another 64 random bits from a chance (SplitMix64's finaliser).
func mixRandom(chance, number uint64) uint64 {
	z := chance + number*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// happens reports whether an event with probability part/whole happens at a chance.
func happens(chance uint64, part, whole int64) bool {
	drawn, _ := bits.Mul64(chance, uint64(whole))
	return int64(drawn) < part
}
