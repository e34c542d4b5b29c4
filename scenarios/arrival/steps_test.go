package arrival_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/scenarios/arrival"
)

const day = 24 * time.Hour

func steps(t testing.TB, list ...arrival.Step) *arrival.Steps {
	t.Helper()
	s, err := arrival.NewSteps(list...)
	if err != nil {
		t.Fatalf("NewSteps(%v) = %v; want no error", list, err)
	}
	return s
}

func TestStepsAgainstHandComputedInstants(t *testing.T) {
	type instants map[uint64]time.Duration
	tests := []struct {
		name  string
		steps []arrival.Step
		count uint64
		at    instants
	}{
		{"one a second is due on the seconds, the first at once",
			[]arrival.Step{{Rate: 1, Length: 3 * time.Second}},
			3, instants{0: 0, 1: time.Second, 2: 2 * time.Second}},
		{"an operation due exactly at the end belongs to what follows",
			[]arrival.Step{{Rate: 1, Length: 3*time.Second + 1}},
			4, instants{3: 3 * time.Second}},
		{"a nanosecond less than a whole second keeps the last one out",
			[]arrival.Step{{Rate: 1, Length: 3*time.Second - 1}},
			3, instants{2: 2 * time.Second}},
		{"the lowest rate is one in a thousand seconds",
			[]arrival.Step{{Rate: 0.001, Length: 2500 * time.Second}},
			3, instants{1: 1000 * time.Second, 2: 2000 * time.Second}},
		{"a rate below one sends its first operation at once however short the step",
			[]arrival.Step{{Rate: 0.25, Length: time.Nanosecond}},
			1, instants{0: 0}},
		{"a third decimal counts: 0.125/s is every eight seconds",
			[]arrival.Step{{Rate: 0.125, Length: 17 * time.Second}},
			3, instants{1: 8 * time.Second, 2: 16 * time.Second}},
		{"a fractional rate does not drift: 333.333/s is 333,333 in a thousand seconds",
			[]arrival.Step{{Rate: 333.333, Length: 1000 * time.Second}},
			333_333, instants{1: 3_000_003, 333: 999_000_999, 333_332: 999_996_999_996}},
		{"an instant between two nanoseconds is rounded down",
			[]arrival.Step{{Rate: 3, Length: time.Second}},
			3, instants{1: 333_333_333, 2: 666_666_666}},
		{"a fourth decimal is rounded away",
			[]arrival.Step{{Rate: 1.0004, Length: 2 * time.Second}},
			2, instants{1: time.Second}},
		{"each step begins anew with an operation",
			[]arrival.Step{{Rate: 2, Length: 1250 * time.Millisecond}, {Rate: 4, Length: time.Second}, {Rate: 1, Length: time.Second}},
			3 + 4 + 1, instants{2: time.Second, 3: 1250 * time.Millisecond, 4: 1500 * time.Millisecond,
				6: 2 * time.Second, 7: 2250 * time.Millisecond}},
		{"the highest rate leaves 100 ns between two operations",
			[]arrival.Step{{Rate: 10_000_000, Length: time.Second}},
			10_000_000, instants{1: 100, 9_999_999: time.Second - 100}},
		{"the highest rate over the longest step overflows nothing",
			[]arrival.Step{{Rate: 10_000_000, Length: 30 * day}},
			25_920_000_000_000, instants{25_919_999_999_999: 30*day - 100}},
		{"the longest step may have the lowest rate, and one may follow it",
			[]arrival.Step{{Rate: 0.001, Length: 30 * day}, {Rate: 10_000_000, Length: 30 * day}},
			2592 + 25_920_000_000_000, instants{2591: 30*day - 1000*time.Second, 2592: 30 * day, 2593: 30*day + 100}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := steps(t, test.steps...)
			if got := s.Len(); got != test.count {
				t.Errorf("NewSteps(%v).Len() = %d; want %d", test.steps, got, test.count)
			}
			for n, want := range test.at {
				if got := s.At(n); got != want {
					t.Errorf("NewSteps(%v).At(%d) = %v; want %v", test.steps, n, got, want)
				}
			}
		})
	}
}

func TestImpossibleSteps(t *testing.T) {
	century := make([]arrival.Step, 1217)
	for i := range century {
		century[i] = arrival.Step{Rate: 1, Length: 30 * day}
	}
	tests := []struct {
		name  string
		steps []arrival.Step
	}{
		{"no step at all", nil},
		{"a rate of zero", []arrival.Step{{Rate: 0, Length: time.Second}}},
		{"a negative rate", []arrival.Step{{Rate: -1, Length: time.Second}}},
		{"a rate that rounds to zero", []arrival.Step{{Rate: 0.0004, Length: time.Second}}},
		{"a rate beyond the highest", []arrival.Step{{Rate: 10_000_001, Length: time.Second}}},
		{"a rate that is no number", []arrival.Step{{Rate: math.NaN(), Length: time.Second}}},
		{"an infinite rate", []arrival.Step{{Rate: math.Inf(1), Length: time.Second}}},
		{"a rate of minus infinity", []arrival.Step{{Rate: math.Inf(-1), Length: time.Second}}},
		{"the greatest number there is", []arrival.Step{{Rate: math.MaxFloat64, Length: time.Second}}},
		{"a step of no length", []arrival.Step{{Rate: 1, Length: 0}}},
		{"a step of negative length", []arrival.Step{{Rate: 1, Length: -time.Second}}},
		{"a step beyond the longest", []arrival.Step{{Rate: 1, Length: 30*day + 1}}},
		{"a fault in the second step", []arrival.Step{{Rate: 1, Length: 1}, {Rate: 0, Length: 1}}},
		{"more than a century of steps", century},
	}
	for _, test := range tests {
		if s, err := arrival.NewSteps(test.steps...); !errors.Is(err, arrival.ErrSchedule) || s != nil {
			t.Errorf("%s: NewSteps = %v, %v; want nil and %v", test.name, s, err, arrival.ErrSchedule)
		}
	}
	if _, err := arrival.NewSteps(century[1:]...); err != nil {
		t.Errorf("NewSteps of 1,216 steps of 30 days = %v; want no error: that is less than a century", err)
	}
}

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
				if got, want := s.At(first+n), exact.at(n); got != want {
					t.Fatalf("seed %d: NewSteps(%v).At(%d) = %d; want %d", seed, list, first+n, got, want)
				}
				if got := s.StepOf(first + n); got != i {
					t.Fatalf("seed %d: NewSteps(%v).StepOf(%d) = %d; want %d", seed, list, first+n, got, i)
				}
			}
			if beyond := exact.at(count); beyond < time.Duration(exact.begin+exact.length) {
				t.Fatalf("seed %d: %v: operation %d of step %d lies in it at %v, and is not counted", seed, list, count, i, beyond)
			}
			first += count
		}
		if got := s.Len(); got != first {
			t.Fatalf("seed %d: NewSteps(%v).Len() = %d; want %d", seed, list, got, first)
		}
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
	if got := s.Length(); got != begin {
		t.Fatalf("NewSteps(%v).Length() = %v; want %v", list, got, begin)
	}
	if before, after := s.Rate(-1), s.Rate(begin); before != 0 || after != 0 {
		t.Fatalf("NewSteps(%v).Rate = %v before it and %v after it; want 0", list, before, after)
	}
	n %= s.Len()
	at := s.At(n)
	if at < 0 || at >= begin {
		t.Fatalf("NewSteps(%v).At(%d) = %v; want an instant in [0, %v)", list, n, at, begin)
	}
	if n > 0 && s.At(n-1) > at {
		t.Fatalf("NewSteps(%v).At(%d) = %v is later than At(%d) = %v", list, n-1, s.At(n-1), n, at)
	}
	step := s.StepOf(n)
	var opens time.Duration
	for i := range step {
		opens += list[i].Length
	}
	if at < opens || at >= opens+list[step].Length {
		t.Fatalf("NewSteps(%v).StepOf(%d) = %d, which lasts from %v; it is due at %v", list, n, step, opens, at)
	}
	if first := n == 0 || s.StepOf(n-1) != step; first && at != opens {
		t.Fatalf("NewSteps(%v).At(%d) = %v; want %v, since it is the first of step %d", list, n, at, opens, step)
	}
}

// The integral of the rate up to an instant is how many operations are due
// before it, within one for each step that has begun, since every step begins
// with an operation of its own.
func TestRateIntegratesToTheCount(t *testing.T) {
	const seed = 42
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 500 {
		list := drawSteps(rng)
		s := steps(t, list...)
		var due, begin float64
		for _, step := range list {
			middle := time.Duration(begin) + step.Length/2
			due += s.Rate(middle) * step.Length.Seconds()
			begin += float64(step.Length)
		}
		if got := float64(s.Len()); got < due*(1-1e-12) || got > due*(1+1e-12)+float64(len(list)) {
			t.Fatalf("seed %d: NewSteps(%v).Len() = %.0f; its rates integrate to %.3f", seed, list, got, due)
		}
		checkSteps(t, s, list, rng.Uint64())
	}
}

func FuzzNewSteps(f *testing.F) {
	f.Add(0.001, int64(1), 10_000_000.0, int64(30*day), uint16(1), uint64(0))
	f.Add(333.333, int64(time.Second), 0.5, int64(3), uint16(40), uint64(77))
	f.Add(1.0, int64(30*day), 1.0, int64(30*day), uint16(60_000), uint64(1<<63))
	f.Add(math.NaN(), int64(-1), math.Inf(1), int64(0), uint16(0), uint64(1))
	f.Fuzz(func(t *testing.T, rate1 float64, length1 int64, rate2 float64, length2 int64, pairs uint16, n uint64) {
		var list []arrival.Step
		for range pairs % 700 {
			list = append(list, arrival.Step{Rate: rate1, Length: time.Duration(length1)},
				arrival.Step{Rate: rate2, Length: time.Duration(length2)})
		}
		s, err := arrival.NewSteps(list...)
		if err != nil {
			if !errors.Is(err, arrival.ErrSchedule) || s != nil {
				t.Fatalf("NewSteps(%v) = %v, %v; want nil and an error that wraps %v", list, s, err, arrival.ErrSchedule)
			}
			return
		}
		checkSteps(t, s, list, n)
		checkSteps(t, s, list, s.Len()-1)
	})
}
