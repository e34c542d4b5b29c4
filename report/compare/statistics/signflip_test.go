package statistics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare/statistics"
)

func TestSignFlipOfHandComputedSets(t *testing.T) {
	for _, row := range []struct {
		name string
		logs []float64
		p    float64
	}{
		{"one pair says nothing", []float64{0.3}, 1},
		{"no difference at all", []float64{0, 0, 0, 0, 0, 0}, 1},
		{"five alike cannot reach 5 %", []float64{1, 1, 1, 1, 1}, 2.0 / 32},
		{"six alike can", []float64{1, 1, 1, 1, 1, 1}, 2.0 / 64},
		{"ten alike", slices.Repeat([]float64{0.1}, 10), 2.0 / 1024},
		{"all the other way", slices.Repeat([]float64{-0.1}, 10), 2.0 / 1024},
		{"one small against: two patterns a side", []float64{1, 1, 1, 1, 1, 1, 1, -0.5}, 4.0 / 256},
		{"one equal against seven: nine patterns a side, ties included", []float64{1, 1, 1, 1, 1, 1, 1, -1}, 18.0 / 256},
		{"a tie that binary fractions would break", []float64{0.1, 0.2, -0.3}, 1},
		{"a pair without change takes part on both sides", []float64{1, 1, 1, 1, 1, 0}, 4.0 / 64},
		{"they cancel", []float64{1, -1, 2, -2}, 1},
		{"twenty alike, the most that are tried in all patterns", slices.Repeat([]float64{0.1}, 20), math.Ldexp(2, -20)},
	} {
		p, _, _, _, exact := flipped(row.logs, 0.05, 1)
		if !exact || math.Abs(p-row.p) > 1e-15 {
			t.Errorf("%s: signFlip(%v) = %v, exact %v; want %v", row.name, row.logs, p, exact, row.p)
		}
	}
}

// flipped is [statistics.SignFlip], taken apart.
func flipped(logs []float64, level float64, seed uint64) (p, low, high float64, told, exact bool) {
	f := statistics.SignFlip(logs, level, seed)
	return f.P, f.Low, f.High, f.Told, f.Exact
}

// slowSignFlip adds up every pattern as the definition says.
func slowSignFlip(logs []int) float64 {
	sum := 0
	for _, log := range logs {
		sum += log
	}
	extreme := 0
	for pattern := range 1 << len(logs) {
		flipped := 0
		for i, log := range logs {
			if pattern>>i&1 == 1 {
				log = -log
			}
			flipped += log
		}
		if max(flipped, -flipped) >= max(sum, -sum) {
			extreme++
		}
	}
	return float64(extreme) / float64(int(1)<<len(logs))
}

func TestSignFlipEqualsItsDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		whole, logs := make([]int, 1+rng.IntN(12)), []float64(nil)
		for i := range whole {
			// Few values, so that there are ties.
			whole[i] = rng.IntN(9) - 2
			logs = append(logs, float64(whole[i])/100)
		}
		got, _, _, _, _ := flipped(logs, 0.05, 1)
		if want := slowSignFlip(whole); got != want {
			t.Fatalf("signFlip(%v) = %v; want %v by the definition", logs, got, want)
		}
	}
}

func TestIntervalIsWhatTheTestDoesNotReject(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for n := 6; n <= 12; n++ {
		logs := gaussian(n, 0.05, 0.05, rng)
		_, low, high, told, _ := flipped(logs, 0.05, 1)
		if !told || low > high {
			t.Fatalf("signFlip(%v): interval %v to %v, told %v; want one", logs, low, high, told)
		}
		if estimate := statistics.HodgesLehmann(logs); estimate < low || estimate > high {
			t.Errorf("hodgesLehmann(%v) = %v; want it between %v and %v", logs, estimate, low, high)
		}
		for _, at := range []struct {
			effect   float64
			rejected bool
		}{{low - 1e-6, true}, {low + 1e-6, false}, {(low + high) / 2, false}, {high - 1e-6, false}, {high + 1e-6, true}} {
			shifted := slices.Clone(logs)
			for i := range shifted {
				shifted[i] -= at.effect
			}
			if p, _, _, _, _ := flipped(shifted, 0.05, 1); p <= 0.05 != at.rejected {
				t.Errorf("%d pairs less an effect of %v: p = %v; want rejected %v", n, at.effect, p, at.rejected)
			}
		}
	}
	if _, _, _, told, _ := flipped([]float64{1, 1, 1, 1, 1}, 0.05, 1); told {
		t.Error("signFlip of five pairs tells an interval; want none, for no effect can be rejected")
	}
}

// Beyond twenty pairs patterns are drawn; the p-value then has to come out as near
// as so many draws allow.
func TestSampledPatternsComeNearTheExactOnes(t *testing.T) {
	// 18 pairs of ±1 and 6 of 0: what is 0 changes no sum, so that the exact value is
	// that of 18, and that is a binomial tail.
	for _, against := range []int{3, 4, 5} {
		logs := slices.Repeat([]float64{0.1}, 18)
		for i := range against {
			logs[i] = -0.1
		}
		want, _, _, _, exact := flipped(logs, 0.05, 1)
		binomial := distuv.Binomial{N: 18, P: 0.5}
		if tail := 2 * binomial.CDF(float64(against)); !exact || math.Abs(want-tail) > 1e-9 {
			t.Fatalf("%d of 18 against: p = %v; want %v", against, want, tail)
		}
		logs = append(logs, 0, 0, 0, 0, 0, 0)
		got, _, _, _, exact := flipped(logs, 0.05, 7)
		if sd := 2 * math.Sqrt(want/2/100_000); exact || math.Abs(got-want) > 4*sd+2e-5 {
			t.Errorf("%d of 24 against: p = %v, exact %v; want %v ± %v", against, got, exact, want, 4*sd)
		}
		if again, _, _, _, _ := flipped(logs, 0.05, 7); again != got {
			t.Errorf("the same seed gives p = %v; want %v again", again, got)
		}
	}
	if p, low, high, told, _ := flipped(slices.Repeat([]float64{0.1}, 100), 0.05, 1); p != 2.0/100_001 || !told || low != high {
		t.Errorf("a hundred alike: p = %v, interval %v to %v; want 2 of 100,001, for what was observed counts on either side, and 0.1", p, low, high)
	}
}

func TestHolm(t *testing.T) {
	for _, row := range []struct {
		name    string
		p, want []float64
	}{
		{"none", nil, []float64{}},
		{"one stays as it is", []float64{0.03}, []float64{0.03}},
		{"the smallest times three", []float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{"none below one before it", []float64{0.02, 0.021, 0.9}, []float64{0.06, 0.06, 0.9}},
		{"none above 1", []float64{0.5, 0.6, 1}, []float64{1, 1, 1}},
		{"ties", []float64{0.25, 0.25}, []float64{0.5, 0.5}},
		{"nothing", []float64{0, 0, 0}, []float64{0, 0, 0}},
	} {
		got := statistics.Holm(row.p)
		same := slices.EqualFunc(got, row.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-15 })
		if !same {
			t.Errorf("%s: holm(%v) = %v; want %v", row.name, row.p, got, row.want)
		}
	}
}

func TestHodgesLehmann(t *testing.T) {
	for _, row := range []struct {
		name   string
		values []float64
		want   float64
	}{
		{"one", []float64{3}, 3},
		{"two", []float64{1, 2}, 1.5},
		{"three, of six means", []float64{1, 2, 6}, 2.75},
		{"one wild value hardly moves it", []float64{1, 1, 1, 1, 1, 1, 1000}, 1},
	} {
		if got := statistics.HodgesLehmann(row.values); got != row.want {
			t.Errorf("%s: hodgesLehmann(%v) = %v; want %v", row.name, row.values, got, row.want)
		}
	}
}

func BenchmarkSignFlip(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, pairs := range []int{10, 16} {
		logs := gaussian(pairs, 0.1, 0.1, rng)
		b.Run(map[int]string{10: "pairs=10", 16: "pairs=16"}[pairs], func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				flipped(logs, 0.05, 1)
			}
		})
	}
}
