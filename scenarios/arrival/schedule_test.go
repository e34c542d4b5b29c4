package arrival_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

// drawSchedule draws a schedule of any kind, jittered or not.
func drawSchedule(t *testing.T, rng *rand.Rand) (string, arrival.Schedule) {
	chance := clock.NewStream(rng.Uint64(), "arrivals")
	rate, other := 1+float64(rng.IntN(3000)), float64(rng.IntN(3000))
	length := time.Duration(1+rng.IntN(5_000)) * time.Millisecond
	every := 2 + time.Duration(rng.Int64N(int64(length)))
	var even arrival.Even
	name := ""
	switch kind := rng.IntN(6); kind {
	case 0:
		even, name = ramp(t, rate, other, length), fmt.Sprintf("NewRamp(%v, %v, %v)", rate, other, length)
	case 1:
		surge := arrival.Surge{Base: rate, Peak: other, Every: every, Length: 1 + time.Duration(rng.Int64N(int64(every)-1))}
		even, name = burst(t, surge, length), fmt.Sprintf("NewBurst(%+v, %v)", surge, length)
	case 2:
		wave := arrival.Wave{Mean: rate, Amplitude: rate * rng.Float64(), Period: every, Phase: rng.Float64()}
		even, name = sine(t, wave, length), fmt.Sprintf("NewSine(%+v, %v)", wave, length)
	case 3:
		list := []arrival.Step{{Rate: rate, Length: length}, {Rate: other + 1, Length: every}}
		even, name = steps(t, list...), fmt.Sprintf("NewSteps(%v)", list)
	case 4:
		return fmt.Sprintf("NewPoisson(%v, %v)", rate, length), random(t, rate, length, rng.Uint64())
	default:
		return drawTrace(t, rng)
	}
	if rng.IntN(2) == 0 {
		return name, even
	}
	return name + ", jittered", arrival.NewJittered(even, chance)
}

// What every schedule keeps: instants do not fall, lie within the length, are the
// same when asked again, and are as many as the rate says.
func TestEverySchedule(t *testing.T) {
	const seed = 44
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 200 {
		name, s := drawSchedule(t, rng)
		last := time.Duration(0)
		instants := make([]time.Duration, s.Len())
		for n := range s.Len() {
			at := s.DueTime(n)
			if at < last || at >= s.Length() {
				t.Fatalf("seed %d: %s: At(%d) = %v after %v; want no fall, and less than %v", seed, name, n, at, last, s.Length())
			}
			instants[n], last = at, at
		}
		for range 10 {
			if s.Len() == 0 {
				break
			}
			if n := rng.Uint64N(s.Len()); s.DueTime(n) != instants[n] {
				t.Fatalf("seed %d: %s: At(%d) = %v, then %v; want the same", seed, name, n, instants[n], s.DueTime(n))
			}
		}
		if before, after := s.Rate(-1), s.Rate(s.Length()); before != 0 || after != 0 {
			t.Fatalf("seed %d: %s: Rate is %v before it and %v after; want 0", seed, name, before, after)
		}
		if _, random := s.(*arrival.Poisson); random {
			continue
		}
		if _, recorded := s.(*arrival.Trace); !recorded {
			want := integrate(s, s.Length(), 20_000)
			require.InDeltaf(t, want, float64(s.Len()), 3+.01*want, "seed %d: %s: Len() and the integral of the rate", seed, name)
		}
	}
}

// tenths counts the places of operations in their slots by tenths, of which each holds as many:
// chi-square with nine degrees of freedom, 27.9 at one in a thousand.
type tenths [10]float64

func (c *tenths) add(at, from, to time.Duration) {
	c[min(9, int(10*float64(at-from)/float64(to-from)))]++
}

func (c *tenths) check(t *testing.T, name string) {
	t.Helper()
	even := make([]float64, len(c))
	floats.AddConst(floats.Sum(c[:])/10, even)
	assert.LessOrEqualf(t, stat.ChiSquare(c[:], even), 27.9, "%s: chi-square of the places in the slots %v", name, *c)
}

// Jitter leaves each operation in its slot, each place of which is as likely as
// any other.
func TestJitterStaysInItsSlot(t *testing.T) {
	for name, even := range map[string]arrival.Even{
		"steps": steps(t, arrival.Step{Rate: 333.333, Length: 2500 * time.Millisecond},
			arrival.Step{Rate: 0.7, Length: 2 * time.Second}, arrival.Step{Rate: 40_000, Length: time.Second}),
		"a ramp": ramp(t, 100, 4000, 4*time.Second),
		"bursts": burst(t, arrival.Surge{Base: 300, Peak: 3000, Every: time.Second, Length: 250 * time.Millisecond}, 5*time.Second),
		"a wave": sine(t, arrival.Wave{Mean: 2000, Amplitude: 1500, Period: 3 * time.Second}, 4*time.Second),
	} {
		jittered := arrival.NewJittered(even, clock.NewStream(5, "arrivals"))
		require.Equal(t, even.Len(), jittered.Len(), name)
		require.Equal(t, even.Length(), jittered.Length(), name)
		var places tenths
		for n := range even.Len() - 1 {
			from, to, at := even.DueTime(n), even.DueTime(n+1), jittered.DueTime(n)
			require.Truef(t, at >= from && at <= to, "%s: At(%d) = %v; want it from %v to %v", name, n, at, from, to)
			places.add(at, from, to)
		}
		places.check(t, name)
	}
}

// The slot of the last operation ends with the schedule before it is full: every
// place until then is as likely as any other, and none lies beyond.
func TestJitterOfTheLastOperation(t *testing.T) {
	for name, even := range map[string]arrival.Even{
		"a ramp": ramp(t, 1, 1.2, 1800*time.Millisecond),
		"bursts": burst(t, arrival.Surge{Base: 1, Peak: 2, Every: 2 * time.Second, Length: time.Millisecond}, 1300*time.Millisecond),
		"a wave": sine(t, arrival.Wave{Mean: 1, Amplitude: .01, Period: 7 * time.Second}, 1300*time.Millisecond),
	} {
		last := even.Len() - 1
		from := even.DueTime(last)
		var places tenths
		for seed := range uint64(5000) {
			at := arrival.NewJittered(even, clock.NewStream(seed, "arrivals")).DueTime(last)
			if at < from || at >= even.Length() {
				t.Fatalf("%s: At(%d) = %v; want it from %v up to %v", name, last, at, from, even.Length())
			}
			places.add(at, from, even.Length())
		}
		places.check(t, name)
	}
}
