package keys_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/keys"
)

func same[K comparable](key K) K { return key }

func newHeaviest(places int) *keys.HeaviestKeys[string, int] {
	return keys.NewHeaviestKeys(places, same[string], func(n *int) { *n = 0 })
}

// TestHeaviestKeepsItsPromises holds a small sketch of many keys against a map.
func TestHeaviestKeepsItsPromises(t *testing.T) {
	for _, places := range []int{1, 2, 7, 50, 5000} {
		s, weights := newHeaviest(places), map[string]int64{}
		total := int64(0)
		rng := rand.New(rand.NewPCG(1, uint64(places)))
		for range 20_000 {
			key, weight := strconv.Itoa(int(math.Pow(2000, rng.Float64()))), rng.Int64N(5)
			s.Of(key, weight)
			weights[key] += weight
			total += weight
		}
		kept := map[string]bool{}
		for _, place := range s.Places() {
			kept[place.Key] = true
			if n := weights[place.Key]; n > place.Weight || n < place.Weight-place.Inherited {
				t.Errorf("%d places: %q weighs from %d to %d; want bounds around %d", places, place.Key, place.Weight-place.Inherited, place.Weight, n)
			}
		}
		for key, n := range weights {
			assert.Falsef(t, !kept[key] && (n > s.Missing() || n*int64(places) > total),
				"%d places: %q has none and weighs %d; want at most %d and a %dth of %d", places, key, n, s.Missing(), places, total)
		}
		if exact := places > len(weights); exact != (s.Dropped() == 0) || exact != (s.Missing() == 0) {
			t.Errorf("%d places for %d keys: %d dropped, %d missing; want none where there is room", places, len(weights), s.Dropped(), s.Missing())
		}
	}
}

func TestHeaviestRenewsAPlaceThatGoesToAnother(t *testing.T) {
	s := newHeaviest(1)
	s.Of("a", 3).Value = 7
	if got := s.Of("a", -5); got.Value != 7 || got.Weight != 3 {
		t.Errorf(`Of("a", -5) = %+v; want the value 7 and the weight 3`, got)
	}
	if got := s.Of("b", 1); got.Value != 0 || got.Weight != 4 || got.Inherited != 3 {
		t.Errorf(`Of("b", 1) = %+v; want no value, and the weight 4 of which 3 are inherited`, got)
	}
}

// hashes are so many different numbers, spread evenly: a bijection of 0, 1, 2 ….
func hashes(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		z := uint64(i+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		list[i] = z ^ z>>31
	}
	return list
}

// TestDistinct allows four standard errors, which one of 16,000 sound sketches
// would miss.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 5_000, 30_000, 50_000, 300_000, 2_000_000} {
		d := new(keys.DistinctKeys)
		list := hashes(n)
		for _, h := range list {
			d.Add(h)
		}
		for _, h := range list[:n/2] {
			d.Add(h)
		}
		got, want := d.Estimate(), float64(n)
		assert.LessOrEqualf(t, math.Abs(got-want), 4*keys.DistinctError*want+.01,
			"Estimate() of %d different hashes", n)
	}
	// The first two share a register.
	d := new(keys.DistinctKeys)
	for _, h := range []uint64{0, math.MaxUint64, 1, 0} {
		d.Add(h)
	}
	if got := d.Estimate(); math.Abs(got-2) > .1 {
		t.Errorf("Estimate() of 0, 1 and the greatest = %v; want 2", got)
	}
}

// TestMoment holds estimates against exact sums, and over many seeds their mean
// and spread against theory.
func TestMoment(t *testing.T) {
	for _, tt := range []struct {
		name    string
		weights func(i int) int64
		keys    int
	}{
		{"nothing", func(int) int64 { return 1 }, 0},
		{"one key", func(int) int64 { return 1000 }, 1},
		{"all alike", func(int) int64 { return 1 }, 200_000},
		{"a zipf", func(i int) int64 { return int64(1_000_000 / (i + 1)) }, 200_000},
		{"large ones", func(int) int64 { return 1 << 40 }, 1000},
	} {
		m, exact := new(keys.Moment), 0.0
		for i, h := range hashes(tt.keys) {
			m.Add(h, tt.weights(i))
			exact += float64(tt.weights(i)) * float64(tt.weights(i))
		}
		if got := m.Estimate(); math.Abs(got-exact) > 4*keys.MomentError*exact {
			t.Errorf("%s: Estimate() = %v; want %v within %.1f %%", tt.name, got, exact, 400*keys.MomentError)
		}
	}
}

func TestMomentIsUnbiasedWithTheErrorItStates(t *testing.T) {
	const trials, places = 200, 2_000
	all := hashes(trials * places)
	var off []float64
	for trial := range trials {
		m := new(keys.Moment)
		for _, h := range all[trial*places : (trial+1)*places] {
			m.Add(h, 1)
		}
		off = append(off, m.Estimate()/places-1)
	}
	mean, squares := 0.0, 0.0
	for _, x := range off {
		mean += x / trials
	}
	for _, x := range off {
		squares += (x - mean) * (x - mean) / (trials - 1)
	}
	stated := keys.MomentError
	assert.LessOrEqualf(t, math.Abs(mean), 4*stated/math.Sqrt(trials),
		"the mean of %d estimates is off by %v", trials, mean)
	// A chi-square of 199 degrees of freedom: 0.1 % lie beyond 1.34 times, 0.1 %
	// below 0.72 times its mean.
	if ratio := squares / stated / stated; ratio > 1.34 || ratio < .72 {
		t.Errorf("the variance of %d estimates is %.2f times the stated one; want about 1 (%v)", trials, ratio, slices.Max(off))
	}
}
