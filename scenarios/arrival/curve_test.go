package arrival_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

func ramp(t testing.TB, from, to float64, length time.Duration) *arrival.Ramp {
	t.Helper()
	r, err := arrival.NewRamp(from, to, length)
	if err != nil {
		t.Fatalf("NewRamp(%v, %v, %v) = %v; want no error", from, to, length, err)
	}
	return r
}

func burst(t testing.TB, surge arrival.Surge, length time.Duration) *arrival.Burst {
	t.Helper()
	b, err := arrival.NewBurst(surge, length)
	if err != nil {
		t.Fatalf("NewBurst(%v, %v) = %v; want no error", surge, length, err)
	}
	return b
}

func sine(t testing.TB, wave arrival.Wave, length time.Duration) *arrival.Sine {
	t.Helper()
	s, err := arrival.NewSine(wave, length)
	if err != nil {
		t.Fatalf("NewSine(%v, %v) = %v; want no error", wave, length, err)
	}
	return s
}

func TestCurvesAgainstHandComputedInstants(t *testing.T) {
	type instants map[uint64]time.Duration
	tests := []struct {
		name     string
		schedule arrival.Schedule
		count    uint64
		at       instants
	}{
		{"from nothing, the n-th comes at the square root of n",
			ramp(t, 0, 2, time.Second), 1, instants{0: 0}},
		{"0 to 200/s in 1 s are 100 operations, the 25th at a half",
			ramp(t, 0, 200, time.Second), 100, instants{0: 0, 1: 100 * time.Millisecond, 25: 500 * time.Millisecond, 81: 900 * time.Millisecond}},
		{"200/s to 0 is the same backwards",
			ramp(t, 200, 0, time.Second), 100, instants{0: 0, 19: 100 * time.Millisecond, 75: 500 * time.Millisecond, 99: 900 * time.Millisecond}},
		{"a ramp between equal rates is a step",
			ramp(t, 3, 3, time.Second), 3, instants{0: 0, 1: 333_333_333, 2: 666_666_666}},
		{"100 to 300/s in 2 s are 400 operations, 150 of them in the first",
			ramp(t, 100, 300, 2*time.Second), 400, instants{0: 0, 150: time.Second}},
		{"the greatest ramp overflows nothing",
			ramp(t, 10_000_000, 10_000_000, 30*day), 25_920_000_000_000, instants{25_919_999_999_999: 30*day - 100}},
		{"a burst comes at the end of each round",
			burst(t, arrival.Surge{Base: 1, Peak: 10, Every: 3 * time.Second, Length: time.Second}, 6*time.Second), 24,
			instants{0: 0, 1: time.Second, 2: 2 * time.Second, 3: 2100 * time.Millisecond, 12: 3 * time.Second, 14: 5 * time.Second}},
		{"without a base rate the first operation waits for the first burst",
			burst(t, arrival.Surge{Peak: 2, Every: 2 * time.Second, Length: time.Second}, 4*time.Second), 4,
			instants{0: time.Second, 1: 1500 * time.Millisecond, 2: 3 * time.Second, 3: 3500 * time.Millisecond}},
		{"a burst of nothing is a pause",
			burst(t, arrival.Surge{Base: 2, Every: 2 * time.Second, Length: time.Second}, 3*time.Second), 4,
			instants{1: 500 * time.Millisecond, 2: 2 * time.Second, 3: 2500 * time.Millisecond}},
		{"a length that ends within a burst cuts it",
			burst(t, arrival.Surge{Base: 1, Peak: 10, Every: 3 * time.Second, Length: time.Second}, 2500*time.Millisecond), 7, instants{6: 2400 * time.Millisecond}},
		{"a wave without amplitude is a step",
			sine(t, arrival.Wave{Mean: 2, Period: time.Second}, 2*time.Second), 4, instants{0: 0, 1: 500 * time.Millisecond, 3: 1500 * time.Millisecond}},
		{"a whole period of a wave has the mean",
			sine(t, arrival.Wave{Mean: 100, Amplitude: 100, Period: time.Second}, time.Second), 100, instants{0: 0}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.schedule.Len(); got != test.count {
				t.Errorf("Len() = %d; want %d", got, test.count)
			}
			for n, want := range test.at {
				if got := test.schedule.At(n); got != want {
					t.Errorf("At(%d) = %v; want %v", n, got, want)
				}
			}
		})
	}
}

// exactRamp returns in rational arithmetic how many operations' worth of load a
// ramp has by an instant.
func exactRamp(from, to float64, length, at time.Duration) *big.Rat {
	a, b := big.NewRat(int64(math.Round(from*1000)), 1000), big.NewRat(int64(math.Round(to*1000)), 1000)
	share := big.NewRat(int64(at), int64(length))
	slope := new(big.Rat).Mul(new(big.Rat).Sub(b, a), share)
	mean := new(big.Rat).Add(a, slope.Quo(slope, big.NewRat(2, 1)))
	return mean.Mul(mean, big.NewRat(int64(at), int64(time.Second)))
}

// exactBurst does so for bursts.
func exactBurst(s arrival.Surge, at time.Duration) *big.Rat {
	rounds, rest := int64(at/s.Every), at%s.Every
	calm := rounds*int64(s.Every-s.Length) + int64(min(rest, s.Every-s.Length))
	rate := func(r float64, nanos int64) *big.Rat {
		product := big.NewRat(int64(math.Round(r*1000)), 1000)
		return product.Mul(product, big.NewRat(nanos, int64(time.Second)))
	}
	return new(big.Rat).Add(rate(s.Base, calm), rate(s.Peak, int64(at)-calm))
}

// checkExact holds instants against the definition: no more than n by then, and
// more a nanosecond later.
func checkExact(t *testing.T, what string, s arrival.Schedule, n uint64, come func(time.Duration) *big.Rat) {
	t.Helper()
	at, whole := s.At(n), new(big.Rat).SetInt(new(big.Int).SetUint64(n))
	if come(at).Cmp(whole) > 0 || come(at+1).Cmp(whole) <= 0 {
		t.Fatalf("%s: At(%d) = %d, by when %s have come, and %s a nanosecond later; want no more than n, then more",
			what, n, at, come(at).FloatString(12), come(at+1).FloatString(12))
	}
	total := come(s.Length())
	count := new(big.Int).SetUint64(s.Len())
	if last := new(big.Rat).SetInt(new(big.Int).Sub(count, big.NewInt(1))); last.Cmp(total) >= 0 || new(big.Rat).SetInt(count).Cmp(total) < 0 {
		t.Fatalf("%s: Len() = %d; want %s rounded up", what, s.Len(), total.FloatString(12))
	}
}

// drawLength draws a length on a logarithmic scale, from longer than a number of
// nanoseconds on.
func drawLength(rng *rand.Rand) time.Duration {
	return time.Duration(math.Pow(10, 3+rng.Float64()*12.4)) + 1
}

// drawRate draws a rate on a logarithmic scale, and sometimes 0.
func drawRate(rng *rand.Rand) float64 {
	if rng.IntN(5) == 0 {
		return 0
	}
	return math.Round(math.Pow(10, rng.Float64()*10)) / 1000
}

func TestRampsAndBurstsAgainstRationalArithmetic(t *testing.T) {
	const seed = 43
	rng := rand.New(rand.NewPCG(seed, 0))
	ramps, bursts := 0, 0
	for range 3000 {
		from, to, length := drawRate(rng), drawRate(rng), drawLength(rng)
		if from+to > 0 {
			r := ramp(t, from, to, length)
			what := fmt.Sprintf("seed %d: NewRamp(%v, %v, %d)", seed, from, to, length)
			for _, n := range []uint64{0, r.Len() - 1, rng.Uint64N(r.Len()), rng.Uint64N(r.Len())} {
				checkExact(t, what, r, n, func(at time.Duration) *big.Rat { return exactRamp(from, to, length, at) })
			}
			ramps++
		}
		surge := arrival.Surge{Base: from, Peak: to, Every: 2 + time.Duration(float64(length)*rng.Float64())}
		surge.Length = 1 + time.Duration(rng.Int64N(int64(surge.Every)-1))
		b, err := arrival.NewBurst(surge, length)
		if err != nil {
			continue
		}
		what := fmt.Sprintf("seed %d: NewBurst(%+v, %d)", seed, surge, length)
		for _, n := range []uint64{0, b.Len() - 1, rng.Uint64N(b.Len()), rng.Uint64N(b.Len())} {
			checkExact(t, what, b, n, func(at time.Duration) *big.Rat { return exactBurst(surge, at) })
		}
		bursts++
	}
	if ramps < 2000 || bursts < 1500 {
		t.Errorf("%d ramps and %d bursts were possible; want most", ramps, bursts)
	}
}

// integrate adds up a rate by the midpoint rule up to an instant.
func integrate(s arrival.Schedule, upTo time.Duration, parts int) float64 {
	sum, width := 0.0, float64(upTo)/float64(parts)
	for i := range parts {
		sum += s.Rate(time.Duration((float64(i) + .5) * width))
	}
	return sum * width / float64(time.Second)
}

// The integral of the rate up to an operation's instant is its number, whatever
// formula the instant came from.
func TestInstantsAgainstNumericalIntegration(t *testing.T) {
	for _, one := range []struct {
		name     string
		schedule arrival.Schedule
		// within is by how many operations the sum may be off.
		within float64
	}{
		{"a ramp up", ramp(t, 100, 900, 20*time.Second), .01},
		{"a ramp down to nothing", ramp(t, 900, 0, 20*time.Second), .01},
		{"bursts", burst(t, arrival.Surge{Base: 50, Peak: 700, Every: 4 * time.Second, Length: 500 * time.Millisecond}, 20*time.Second), .3},
		{"a wave", sine(t, arrival.Wave{Mean: 400, Amplitude: 400, Period: 7 * time.Second}, 20*time.Second), .01},
		{"a wave that begins at its crest", sine(t, arrival.Wave{Mean: 400, Amplitude: 100, Period: 90 * time.Second, Phase: .25}, 20*time.Second), .01},
	} {
		t.Run(one.name, func(t *testing.T) {
			s := one.schedule
			for _, n := range []uint64{1, s.Len() / 7, s.Len() / 3, s.Len() / 2, s.Len() - 1} {
				if got := integrate(s, s.At(n), 20_000); math.Abs(got-float64(n)) > one.within {
					t.Errorf("the rate integrates to %.3f up to At(%d) = %v; want the number", got, n, s.At(n))
				}
			}
			if all := integrate(s, s.Length(), 20_000); math.Abs(math.Ceil(all-one.within)-float64(s.Len())) > 1 {
				t.Errorf("Len() = %d; the rate integrates to %.3f", s.Len(), all)
			}
		})
	}
}

func TestImpossibleCurves(t *testing.T) {
	ramps := func(from, to float64, length time.Duration) func() error {
		return func() error { _, err := arrival.NewRamp(from, to, length); return err }
	}
	bursts := func(s arrival.Surge, length time.Duration) func() error {
		return func() error { _, err := arrival.NewBurst(s, length); return err }
	}
	sines := func(w arrival.Wave, length time.Duration) func() error {
		return func() error { _, err := arrival.NewSine(w, length); return err }
	}
	poissons := func(rate float64, length time.Duration) func() error {
		return func() error {
			_, err := arrival.NewPoisson(rate, length, clock.NewStream(1, "arrivals"))
			return err
		}
	}
	good := arrival.Surge{Base: 1, Peak: 2, Every: 2 * time.Second, Length: time.Second}
	with := func(change func(*arrival.Surge)) arrival.Surge { s := good; change(&s); return s }
	for _, test := range []struct {
		name string
		make func() error
	}{
		{"a ramp from nothing to nothing", ramps(0, 0, time.Second)},
		{"a ramp that rounds to nothing", ramps(0.0001, 0.0004, time.Second)},
		{"a ramp from below nothing", ramps(-1, 5, time.Second)},
		{"a ramp to beyond the highest rate", ramps(1, 10_000_001, time.Second)},
		{"a ramp from what is no number", ramps(math.NaN(), 1, time.Second)},
		{"a ramp without length", ramps(1, 2, 0)},
		{"a ramp longer than the longest", ramps(1, 2, 30*day+1)},
		{"bursts of nothing on nothing", bursts(with(func(s *arrival.Surge) { s.Base, s.Peak = 0, 0 }), time.Second)},
		{"bursts that end before the first comes", bursts(with(func(s *arrival.Surge) { s.Base = 0 }), time.Second)},
		{"bursts below nothing", bursts(with(func(s *arrival.Surge) { s.Peak = -1 }), time.Second)},
		{"bursts as long as the time between them", bursts(with(func(s *arrival.Surge) { s.Length = 2 * time.Second }), time.Second)},
		{"bursts without length", bursts(with(func(s *arrival.Surge) { s.Length = 0 }), time.Second)},
		{"bursts that never come", bursts(with(func(s *arrival.Surge) { s.Every = 0 }), time.Second)},
		{"bursts for no time", bursts(good, 0)},
		{"bursts for a negative time", bursts(good, -time.Second)},
		{"a wave around nothing", sines(arrival.Wave{Period: time.Second}, time.Second)},
		{"a wave that goes below nothing", sines(arrival.Wave{Mean: 1, Amplitude: 1.1, Period: time.Second}, time.Second)},
		{"a wave of negative amplitude", sines(arrival.Wave{Mean: 1, Amplitude: -1, Period: time.Second}, time.Second)},
		{"a wave of infinite amplitude", sines(arrival.Wave{Mean: 1, Amplitude: math.Inf(1), Period: time.Second}, time.Second)},
		{"a wave whose crest is beyond the highest rate", sines(arrival.Wave{Mean: 9e6, Amplitude: 2e6, Period: time.Second}, time.Second)},
		{"a wave without a period", sines(arrival.Wave{Mean: 1}, time.Second)},
		{"a wave without length", sines(arrival.Wave{Mean: 1, Period: time.Second}, 0)},
		{"a wave that begins after its period", sines(arrival.Wave{Mean: 1, Period: time.Second, Phase: 1}, time.Second)},
		{"random arrivals of no rate", poissons(0, time.Second)},
		{"random arrivals without length", poissons(1, 0)},
		{"more random arrivals than can be told apart", poissons(1e7, 30*day)},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.make(); !errors.Is(err, arrival.ErrSchedule) {
				t.Errorf("got %v; want %v", err, arrival.ErrSchedule)
			}
		})
	}
}

func BenchmarkAt(b *testing.B) {
	chance := clock.NewStream(1, "arrivals")
	poisson, err := arrival.NewPoisson(20_000, 60*time.Second, chance)
	if err != nil {
		b.Fatal(err)
	}
	even := steps(b, arrival.Step{Rate: 20_000, Length: 60 * time.Second})
	for _, one := range []struct {
		name     string
		schedule arrival.Schedule
	}{
		{"steps", even},
		{"jittered", arrival.NewJittered(even, chance)},
		{"ramp", arrival.NewJittered(ramp(b, 1000, 20_000, 60*time.Second), chance)},
		{"burst", arrival.NewJittered(burst(b, arrival.Surge{Base: 1000, Peak: 20_000, Every: 5 * time.Second, Length: time.Second}, 60*time.Second), chance)},
		{"sine", arrival.NewJittered(sine(b, arrival.Wave{Mean: 20_000, Amplitude: 10_000, Period: 10 * time.Second}, 60*time.Second), chance)},
		{"poisson", poisson},
	} {
		b.Run(one.name, func(b *testing.B) {
			b.ReportAllocs()
			count := one.schedule.Len()
			for n := uint64(0); b.Loop(); n++ {
				one.schedule.At(n % count)
			}
		})
	}
}
