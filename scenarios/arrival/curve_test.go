package arrival_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios/arrival"
)

// made returns a schedule that is possible.
func made[S arrival.Schedule](t testing.TB) func(s S, err error) S {
	return func(s S, err error) S {
		t.Helper()
		require.NoError(t, err)
		return s
	}
}

func ramp(t testing.TB, from, to float64, length time.Duration) *arrival.Ramp {
	return made[*arrival.Ramp](t)(arrival.NewRamp(from, to, length))
}

func burst(t testing.TB, surge arrival.Surge, length time.Duration) *arrival.Burst {
	return made[*arrival.Burst](t)(arrival.NewBurst(surge, length))
}

func sine(t testing.TB, wave arrival.Wave, length time.Duration) *arrival.Sine {
	return made[*arrival.Sine](t)(arrival.NewSine(wave, length))
}

func steps(t testing.TB, list ...arrival.Step) *arrival.Steps {
	return made[*arrival.Steps](t)(arrival.NewSteps(list...))
}

func random(t testing.TB, rate float64, length time.Duration, seed uint64) *arrival.Poisson {
	return made[*arrival.Poisson](t)(arrival.NewPoisson(rate, length, clock.NewStream(seed, "arrivals")))
}

func TestSchedulesAgainstHandComputedInstants(t *testing.T) {
	type instants map[uint64]time.Duration
	const ms, s = time.Millisecond, time.Second
	step := func(rate float64, length time.Duration) arrival.Schedule {
		return steps(t, arrival.Step{Rate: rate, Length: length})
	}
	for _, test := range []struct {
		name     string
		schedule arrival.Schedule
		count    uint64
		at       instants
	}{
		{"from nothing, the n-th comes at the square root of n", ramp(t, 0, 2, s), 1, instants{0: 0}},
		{"0 to 200/s in 1 s are 100 operations, the 25th at a half",
			ramp(t, 0, 200, s), 100, instants{0: 0, 1: 100 * ms, 25: 500 * ms, 81: 900 * ms}},
		{"200/s to 0 is the same backwards",
			ramp(t, 200, 0, s), 100, instants{0: 0, 19: 100 * ms, 75: 500 * ms, 99: 900 * ms}},
		{"a ramp between equal rates is a step", ramp(t, 3, 3, s), 3, instants{0: 0, 1: 333_333_333, 2: 666_666_666}},
		{"100 to 300/s in 2 s are 400 operations, 150 of them in the first",
			ramp(t, 100, 300, 2*s), 400, instants{0: 0, 150: s}},
		{"the greatest ramp overflows nothing",
			ramp(t, 10_000_000, 10_000_000, 30*day), 25_920_000_000_000, instants{25_919_999_999_999: 30*day - 100}},
		{"a burst comes at the end of each round",
			burst(t, arrival.Surge{Base: 1, Peak: 10, Every: 3 * s, Length: s}, 6*s), 24,
			instants{0: 0, 1: s, 2: 2 * s, 3: 2100 * ms, 12: 3 * s, 14: 5 * s}},
		{"without a base rate the first operation waits for the first burst",
			burst(t, arrival.Surge{Peak: 2, Every: 2 * s, Length: s}, 4*s), 4,
			instants{0: s, 1: 1500 * ms, 2: 3 * s, 3: 3500 * ms}},
		{"a burst of nothing is a pause",
			burst(t, arrival.Surge{Base: 2, Every: 2 * s, Length: s}, 3*s), 4,
			instants{1: 500 * ms, 2: 2 * s, 3: 2500 * ms}},
		{"a length that ends within a burst cuts it",
			burst(t, arrival.Surge{Base: 1, Peak: 10, Every: 3 * s, Length: s}, 2500*ms), 7, instants{6: 2400 * ms}},
		{"a wave without amplitude is a step",
			sine(t, arrival.Wave{Mean: 2, Period: s}, 2*s), 4, instants{0: 0, 1: 500 * ms, 3: 1500 * ms}},
		{"a whole period of a wave has the mean",
			sine(t, arrival.Wave{Mean: 100, Amplitude: 100, Period: s}, s), 100, instants{0: 0}},
		{"one a second is due on the seconds, the first at once", step(1, 3*s), 3, instants{0: 0, 1: s, 2: 2 * s}},
		{"an operation due exactly at the end belongs to what follows", step(1, 3*s+1), 4, instants{3: 3 * s}},
		{"a nanosecond less than a whole second keeps the last one out", step(1, 3*s-1), 3, instants{2: 2 * s}},
		{"the lowest rate is one in a thousand seconds", step(0.001, 2500*s), 3, instants{1: 1000 * s, 2: 2000 * s}},
		{"a rate below one sends its first operation at once however short the step",
			step(0.25, time.Nanosecond), 1, instants{0: 0}},
		{"a third decimal counts: 0.125/s is every eight seconds", step(0.125, 17*s), 3, instants{1: 8 * s, 2: 16 * s}},
		{"a fractional rate does not drift: 333.333/s is 333,333 in a thousand seconds",
			step(333.333, 1000*s), 333_333, instants{1: 3_000_003, 333: 999_000_999, 333_332: 999_996_999_996}},
		{"an instant between two nanoseconds is rounded down", step(3, s), 3, instants{1: 333_333_333, 2: 666_666_666}},
		{"a fourth decimal is rounded away", step(1.0004, 2*s), 2, instants{1: s}},
		{"each step begins anew with an operation",
			steps(t, arrival.Step{Rate: 2, Length: 1250 * ms}, arrival.Step{Rate: 4, Length: s}, arrival.Step{Rate: 1, Length: s}),
			3 + 4 + 1, instants{2: s, 3: 1250 * ms, 4: 1500 * ms, 6: 2 * s, 7: 2250 * ms}},
		{"the highest rate leaves 100 ns between two operations",
			step(10_000_000, s), 10_000_000, instants{1: 100, 9_999_999: s - 100}},
		{"the highest rate over the longest step overflows nothing",
			step(10_000_000, 30*day), 25_920_000_000_000, instants{25_919_999_999_999: 30*day - 100}},
		{"the longest step may have the lowest rate, and one may follow it",
			steps(t, arrival.Step{Rate: 0.001, Length: 30 * day}, arrival.Step{Rate: 10_000_000, Length: 30 * day}),
			2592 + 25_920_000_000_000, instants{2591: 30*day - 1000*s, 2592: 30 * day, 2593: 30*day + 100}},
	} {
		assert.Equal(t, test.count, test.schedule.Len(), test.name)
		for n, want := range test.at {
			assert.Equalf(t, want, test.schedule.DueTime(n), "%s: At(%d)", test.name, n)
		}
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
func checkExact(t *testing.T, what string, s arrival.Schedule, rng *rand.Rand, come func(time.Duration) *big.Rat) {
	t.Helper()
	for _, n := range []uint64{0, s.Len() - 1, rng.Uint64N(s.Len()), rng.Uint64N(s.Len())} {
		at, whole := s.DueTime(n), new(big.Rat).SetInt(new(big.Int).SetUint64(n))
		if come(at).Cmp(whole) > 0 || come(at+1).Cmp(whole) <= 0 {
			t.Fatalf("%s: At(%d) = %d, by when %s have come, and %s a nanosecond later; want no more than n, then more",
				what, n, at, come(at).FloatString(12), come(at+1).FloatString(12))
		}
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
			checkExact(t, what, r, rng, func(at time.Duration) *big.Rat { return exactRamp(from, to, length, at) })
			ramps++
		}
		surge := arrival.Surge{Base: from, Peak: to, Every: 2 + time.Duration(float64(length)*rng.Float64())}
		surge.Length = 1 + time.Duration(rng.Int64N(int64(surge.Every)-1))
		b, err := arrival.NewBurst(surge, length)
		if err != nil {
			continue
		}
		what := fmt.Sprintf("seed %d: NewBurst(%+v, %d)", seed, surge, length)
		checkExact(t, what, b, rng, func(at time.Duration) *big.Rat { return exactBurst(surge, at) })
		bursts++
	}
	assert.Truef(t, ramps >= 2000 && bursts >= 1500, "%d ramps and %d bursts were possible; want most", ramps, bursts)
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
		{"a wave", sine(t, arrival.Wave{Mean: 400, Amplitude: 400, Period: 7 * time.Second}, 20*time.Second), .01},
		{"a wave that begins at its crest", sine(t, arrival.Wave{Mean: 400, Amplitude: 100, Period: 90 * time.Second, Phase: .25}, 20*time.Second), .01},
	} {
		s := one.schedule
		for _, n := range []uint64{1, s.Len() / 7, s.Len() / 3, s.Len() / 2, s.Len() - 1} {
			if got := integrate(s, s.DueTime(n), 20_000); math.Abs(got-float64(n)) > one.within {
				t.Errorf("%s: the rate integrates to %.3f up to At(%d) = %v; want the number", one.name, got, n, s.DueTime(n))
			}
		}
		if all := integrate(s, s.Length(), 20_000); math.Abs(math.Ceil(all-one.within)-float64(s.Len())) > 1 {
			t.Errorf("%s: Len() = %d; the rate integrates to %.3f", one.name, s.Len(), all)
		}
	}
}

// faultOf returns the error of a schedule that is made.
func faultOf[S arrival.Schedule](_ S, err error) error { return err }

func TestImpossibleSchedules(t *testing.T) {
	stream := clock.NewStream(1, "arrivals")
	one := func(rate float64, length time.Duration) error {
		return faultOf(arrival.NewSteps(arrival.Step{Rate: rate, Length: length}))
	}
	century := slices.Repeat([]arrival.Step{{Rate: 1, Length: 30 * day}}, 1217)
	assert.NoError(t, faultOf(arrival.NewSteps(century[1:]...)), "1,216 steps of 30 days are less than a century")
	good := arrival.Surge{Base: 1, Peak: 2, Every: 2 * time.Second, Length: time.Second}
	with := func(change func(*arrival.Surge)) arrival.Surge { s := good; change(&s); return s }
	for _, test := range []struct {
		name string
		err  error
	}{
		{"no step at all", faultOf(arrival.NewSteps())},
		{"a rate of zero", one(0, time.Second)},
		{"a negative rate", one(-1, time.Second)},
		{"a rate that rounds to zero", one(0.0004, time.Second)},
		{"a rate beyond the highest", one(10_000_001, time.Second)},
		{"a rate that is no number", one(math.NaN(), time.Second)},
		{"an infinite rate", one(math.Inf(1), time.Second)},
		{"a rate of minus infinity", one(math.Inf(-1), time.Second)},
		{"the greatest number there is", one(math.MaxFloat64, time.Second)},
		{"a step of no length", one(1, 0)},
		{"a step of negative length", one(1, -time.Second)},
		{"a step beyond the longest", one(1, 30*day+1)},
		{"a fault in the second step", faultOf(arrival.NewSteps(arrival.Step{Rate: 1, Length: 1}, arrival.Step{Rate: 0, Length: 1}))},
		{"more than a century of steps", faultOf(arrival.NewSteps(century...))},
		{"a ramp from nothing to nothing", faultOf(arrival.NewRamp(0, 0, time.Second))},
		{"a ramp that rounds to nothing", faultOf(arrival.NewRamp(0.0001, 0.0004, time.Second))},
		{"a ramp from below nothing", faultOf(arrival.NewRamp(-1, 5, time.Second))},
		{"a ramp to beyond the highest rate", faultOf(arrival.NewRamp(1, 10_000_001, time.Second))},
		{"a ramp from what is no number", faultOf(arrival.NewRamp(math.NaN(), 1, time.Second))},
		{"a ramp without length", faultOf(arrival.NewRamp(1, 2, 0))},
		{"a ramp longer than the longest", faultOf(arrival.NewRamp(1, 2, 30*day+1))},
		{"bursts of nothing on nothing", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Base, s.Peak = 0, 0 }), time.Second))},
		{"bursts that end before the first comes", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Base = 0 }), time.Second))},
		{"bursts below nothing", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Peak = -1 }), time.Second))},
		{"bursts as long as the time between them", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Length = 2 * time.Second }), time.Second))},
		{"bursts without length", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Length = 0 }), time.Second))},
		{"bursts that never come", faultOf(arrival.NewBurst(with(func(s *arrival.Surge) { s.Every = 0 }), time.Second))},
		{"bursts for no time", faultOf(arrival.NewBurst(good, 0))},
		{"bursts for a negative time", faultOf(arrival.NewBurst(good, -time.Second))},
		{"a wave around nothing", faultOf(arrival.NewSine(arrival.Wave{Period: time.Second}, time.Second))},
		{"a wave that goes below nothing", faultOf(arrival.NewSine(arrival.Wave{Mean: 1, Amplitude: 1.1, Period: time.Second}, time.Second))},
		{"a wave of negative amplitude", faultOf(arrival.NewSine(arrival.Wave{Mean: 1, Amplitude: -1, Period: time.Second}, time.Second))},
		{"a wave of infinite amplitude", faultOf(arrival.NewSine(arrival.Wave{Mean: 1, Amplitude: math.Inf(1), Period: time.Second}, time.Second))},
		{"a wave whose crest is beyond the highest rate", faultOf(arrival.NewSine(arrival.Wave{Mean: 9e6, Amplitude: 2e6, Period: time.Second}, time.Second))},
		{"a wave without a period", faultOf(arrival.NewSine(arrival.Wave{Mean: 1}, time.Second))},
		{"a wave without length", faultOf(arrival.NewSine(arrival.Wave{Mean: 1, Period: time.Second}, 0))},
		{"a wave that begins after its period", faultOf(arrival.NewSine(arrival.Wave{Mean: 1, Period: time.Second, Phase: 1}, time.Second))},
		{"random arrivals of no rate", faultOf(arrival.NewPoisson(0, time.Second, stream))},
		{"random arrivals without length", faultOf(arrival.NewPoisson(1, 0, stream))},
		{"more random arrivals than can be told apart", faultOf(arrival.NewPoisson(1e7, 30*day, stream))},
	} {
		assert.ErrorIs(t, test.err, arrival.ErrSchedule, test.name)
	}
}
