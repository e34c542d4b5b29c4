package arrival_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/scenarios/arrival"
)

const day = 24 * time.Hour

// rational is the definition in exact arithmetic: operation n of a step is due
// at the step's begin + n/rate seconds, and is in the step if that lies before
// its end.
type rational struct {
	rate          *big.Rat
	begin, length int64
}

func rationals(list []arrival.Step) []rational {
	var all []rational
	var begin int64
	for _, s := range list {
		all = append(all, rational{big.NewRat(int64(math.Round(s.Rate*1000)), 1000), begin, int64(s.Length)})
		begin += int64(s.Length)
	}
	return all
}

// count returns how many operations n ≥ 0 have n/rate < length: the least whole
// number not below rate·length.
func (r rational) count() uint64 {
	product := new(big.Rat).Mul(r.rate, big.NewRat(r.length, int64(time.Second)))
	whole, rest := new(big.Int).QuoRem(product.Num(), product.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		whole.Add(whole, big.NewInt(1))
	}
	return whole.Uint64()
}

// at returns the instant of the step's operation n, rounded down.
func (r rational) at(n uint64) time.Duration {
	instant := new(big.Rat).SetInt(new(big.Int).SetUint64(n))
	instant.Mul(instant, big.NewRat(int64(time.Second), 1)).Quo(instant, r.rate)
	return time.Duration(r.begin + new(big.Int).Quo(instant.Num(), instant.Denom()).Int64())
}

// drawSteps draws up to five steps over the whole span of rates and lengths, on
// logarithmic scales.
func drawSteps(rng *rand.Rand) []arrival.Step {
	list := make([]arrival.Step, 1+rng.IntN(5))
	for i := range list {
		list[i] = arrival.Step{
			Rate:   math.Round(math.Pow(10, rng.Float64()*10)) / 1000,
			Length: time.Duration(math.Pow(10, rng.Float64()*15)) + 1,
		}
	}
	return list
}

func TestStepsAgainstRationalArithmetic(t *testing.T) {
	const seed = 41
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 2000 {
		list := drawSteps(rng)
		s := steps(t, list...)
		var first uint64
		for i, exact := range rationals(list) {
			count := exact.count()
			for _, n := range []uint64{0, count - 1, rng.Uint64N(count), rng.Uint64N(count)} {
				if got, want := s.DueTime(first+n), exact.at(n); got != want {
					t.Fatalf("seed %d: NewSteps(%v).At(%d) = %d; want %d", seed, list, first+n, got, want)
				}
				require.Equalf(t, i, s.StepOf(first+n), "seed %d: NewSteps(%v).StepOf(%d)", seed, list, first+n)
			}
			if beyond := exact.at(count); beyond < time.Duration(exact.begin+exact.length) {
				t.Fatalf("seed %d: %v: operation %d of step %d lies in it at %v, and is not counted", seed, list, count, i, beyond)
			}
			first += count
		}
		if got := s.Len(); got != first {
			t.Fatalf("seed %d: NewSteps(%v).Len() = %d; want %d", seed, list, got, first)
		}
		checkSteps(t, s, list, rng.Uint64())
	}
}

// checkSteps holds a schedule against what every schedule of steps keeps,
// around the given operation.
func checkSteps(t *testing.T, s *arrival.Steps, list []arrival.Step, n uint64) {
	t.Helper()
	var begin time.Duration
	for i, step := range list {
		for _, at := range []time.Duration{begin, begin + step.Length/2, begin + step.Length - 1} {
			if got := s.Rate(at); math.Abs(got-step.Rate) > 0.00051 {
				t.Fatalf("NewSteps(%v).Rate(%v) = %v; want step %d's %v to three decimals", list, at, got, i, step.Rate)
			}
		}
		begin += step.Length
	}
	require.Equalf(t, begin, s.Length(), "NewSteps(%v).Length()", list)
	if before, after := s.Rate(-1), s.Rate(begin); before != 0 || after != 0 {
		t.Fatalf("NewSteps(%v).Rate = %v before it and %v after it; want 0", list, before, after)
	}
	n %= s.Len()
	at := s.DueTime(n)
	require.Truef(t, at >= 0 && at < begin, "NewSteps(%v).At(%d) = %v; want an instant in [0, %v)", list, n, at, begin)
	if n > 0 && s.DueTime(n-1) > at {
		t.Fatalf("NewSteps(%v).At(%d) = %v is later than At(%d) = %v", list, n-1, s.DueTime(n-1), n, at)
	}
	step := s.StepOf(n)
	var opens time.Duration
	for i := range step {
		opens += list[i].Length
	}
	require.Truef(t, at >= opens && at < opens+list[step].Length,
		"NewSteps(%v).StepOf(%d) = %d, which lasts from %v; it is due at %v", list, n, step, opens, at)
	if first := n == 0 || s.StepOf(n-1) != step; first && at != opens {
		t.Fatalf("NewSteps(%v).At(%d) = %v; want %v, since it is the first of step %d", list, n, at, opens, step)
	}
}

// The gaps between random arrivals are exponential: Kolmogorov and Smirnov's
// distance, 1.95/√n at one in a thousand.
func TestPoissonGapsAreExponential(t *testing.T) {
	for _, test := range []struct {
		name   string
		rate   float64
		length time.Duration
	}{
		{"a rate below one in a slot", 40, 1000 * time.Second},
		{"slots of the usual size", 2000, 20 * time.Second},
		{"the highest rate there is", arrival.MaxRate, 4 * time.Millisecond},
	} {
		p := random(t, test.rate, test.length, 6)
		gaps := make([]float64, 0, p.Len())
		last := time.Duration(0)
		for n := range p.Len() {
			at := p.DueTime(n)
			gaps = append(gaps, (at-last).Seconds()*test.rate)
			last = at
		}
		slices.Sort(gaps)
		// Gaps at the highest rate are told in tens of nanoseconds, a hundredth of
		// their mean, by which a distribution of whole numbers is off.
		distance, n := 0.0, float64(len(gaps))
		for i, gap := range gaps {
			theory := 1 - math.Exp(-gap)
			distance = max(distance, math.Abs(float64(i+1)/n-theory), math.Abs(float64(i)/n-theory))
		}
		if limit := 1.95/math.Sqrt(n) + test.rate/1e9; distance > limit || n < 20_000 {
			t.Errorf("%s: the gaps of %.0f arrivals are %.4f from exponential; want at most %.4f", test.name, n, distance, limit)
		}
	}
}

// counted is how many arrivals fall into each of so many equal parts of a second,
// for runs of one second under seeds of their own.
func counted(t *testing.T, rate float64, runs uint64, parts int) []int {
	var counts []int
	for seed := range runs {
		p := random(t, rate, time.Second, seed)
		in := make([]int, parts)
		for n := range p.Len() {
			in[int(p.DueTime(n)*time.Duration(parts)/time.Second)]++
		}
		counts = append(counts, in...)
	}
	return counts
}

// Counts in equal stretches of time are Poisson distributed: chi-square over the
// counts that are expected ten times or more, at one in a thousand.
func TestPoissonCounts(t *testing.T) {
	for _, test := range []struct {
		name  string
		rate  float64
		runs  uint64
		parts int
	}{
		{"the whole of a run, drawn by rejection", 50, 4000, 1},
		{"the whole of a run, drawn by multiplying", 4, 4000, 1},
		{"parts of a slot", 60, 1000, 16},
		{"parts of several slots", 1000, 100, 50},
	} {
		counts := counted(t, test.rate, test.runs, test.parts)
		mean := test.rate / float64(test.parts)
		observed := map[int]float64{}
		for _, count := range counts {
			observed[count]++
		}
		square, degrees, rest, restSeen := 0.0, 0, float64(len(counts)), float64(len(counts))
		for k := 0; float64(k) < mean*3+20; k++ {
			expected := float64(len(counts)) * distuv.Poisson{Lambda: mean}.Prob(float64(k))
			if expected < 10 {
				continue
			}
			square += (observed[k] - expected) * (observed[k] - expected) / expected
			rest, restSeen, degrees = rest-expected, restSeen-observed[k], degrees+1
		}
		if rest > 5 {
			square += (restSeen - rest) * (restSeen - rest) / rest
		} else {
			degrees--
		}
		assert.GreaterOrEqualf(t, distuv.ChiSquared{K: float64(degrees)}.Survival(square), .001,
			"%s: a chi-square of %.1f with %d degrees of freedom", test.name, square, degrees)
	}
}

// A day at a million operations per second is a bounded table, and an instant a
// bounded number of draws.
func TestPoissonOfADay(t *testing.T) {
	p := random(t, 1_000_000, day, 1)
	const want = 86_400_000_000
	assert.InDelta(t, want, p.Len(), 4*math.Sqrt(want), "Len()")
	last := time.Duration(-1)
	for n := uint64(0); n < p.Len(); n += p.Len() / 1000 {
		at := p.DueTime(n)
		if at < last || math.Abs(at.Seconds()-float64(n)/1e6) > 2 {
			t.Fatalf("At(%d) = %v after %v; want about %.1f s", n, at, last, float64(n)/1e6)
		}
		last = at
	}
}
