package compare_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare"
)

// ratios are pairs of which B is that many times A.
func ratios(factors ...float64) []pair {
	var pairs []pair
	for i, factor := range factors {
		was := 1000 + 10*float64(i)
		pairs = append(pairs, pair{A: was, B: was * factor})
	}
	return pairs
}

func TestVerdicts(t *testing.T) {
	around := func(n int, factor float64) []float64 {
		factors := make([]float64, n)
		for i := range factors {
			factors[i] = factor * (1 + 0.001*float64(i%3-1))
		}
		return factors
	}
	mixed := []float64{1.3, 0.7, 1.2, 0.9, 1.1, 0.8, 1.4, 0.75}
	for _, row := range []struct {
		name   string
		higher bool
		pairs  []pair
		want   compare.Outcome
		says   string
	}{
		{"no pairs at all", false, nil, compare.Inconclusive, "0 pairs"},
		{"five pairs, however great", false, ratios(around(5, 3)...), compare.Inconclusive, "5 pairs"},
		{"six of one metric are enough", false, ratios(around(6, 1.1)...), compare.Regression, ""},
		{"ten percent longer", false, ratios(around(10, 1.1)...), compare.Regression, "+10.0%"},
		{"ten percent more of a rate", true, ratios(around(10, 1.1)...), compare.Improvement, ""},
		{"a rate that falls by ten percent", true, ratios(around(10, 0.9)...), compare.Regression, ""},
		{"a time that falls by ten percent", false, ratios(around(10, 0.9)...), compare.Improvement, ""},
		{"real, but below the threshold", false, ratios(around(10, 1.04)...), compare.NoDifference, "+4.0%"},
		{"just above the threshold", false, ratios(around(10, 1.0508)...), compare.Regression, ""},
		{"a rate just below the other threshold, 1/1.05", true, ratios(around(10, 0.952)...), compare.Regression, ""},
		{"a rate just above it", true, ratios(around(10, 0.954)...), compare.NoDifference, ""},
		{"noise", false, ratios(mixed...), compare.NoDifference, ""},
		{"the same", false, ratios(slices.Repeat([]float64{1}, 8)...), compare.NoDifference, "±0.0%"},
		{"twenty-four pairs, of patterns that are drawn", false, ratios(around(24, 1.1)...), compare.Regression, ""},
	} {
		got := judge(t, paired(compare.Metric{Name: "m", Higher: row.higher}, row.pairs))
		sentence := got.Findings[0].Sentence()
		assert.Truef(t, got.Verdict == row.want && got.Findings[0].Verdict == row.want && strings.Contains(sentence, row.says),
			"%s: Judge = %v: %s; want %v with %q", row.name, got.Verdict, sentence, row.want, row.says)
	}
}

func TestSeveralMetricsNeedMore(t *testing.T) {
	trials := func(pairs int, factors ...float64) []compare.Trial {
		var all []compare.Trial
		for i, factor := range factors {
			all = append(all, paired(compare.Metric{Name: string(rune('a' + i))}, ratios(slices.Repeat([]float64{factor}, pairs)...)))
		}
		return all
	}
	for _, row := range []struct {
		name   string
		trials []compare.Trial
		want   compare.Outcome
	}{
		{"seven pairs of two metrics", trials(7, 1.2, 1.2), compare.Inconclusive},
		{"eight pairs of two", trials(8, 1.2, 1), compare.Regression},
		{"eight pairs of three: 3·2/256 is within 5%", trials(8, 1, 1, 1.2), compare.Regression},
		{"better by one metric and worse by another", trials(8, 0.8, 1.2), compare.Regression},
		{"better by one", trials(8, 0.8, 1), compare.Improvement},
		{"by none", trials(8, 1, 1, 1), compare.NoDifference},
	} {
		assert.Equalf(t, row.want, judge(t, row.trials...).Verdict, "%s: Judge", row.name)
	}
	// Of eight pairs with one small one against, p is 4/256: enough alone, and times
	// two, but not times four.
	pairs := ratios(1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 1.2, 0.95)
	alone := judge(t, paired(compare.Metric{Name: "a"}, pairs)).Findings[0]
	assert.Truef(t, *alone.P == 4.0/256 && *alone.Adjusted == *alone.P,
		"alone p = %v, adjusted %v; want 4/256 twice", *alone.P, *alone.Adjusted)
	three := trials(8, 1, 1)
	three = append(three, paired(compare.Metric{Name: "c"}, pairs))
	got := judge(t, three...).Findings[2]
	assert.Equal(t, []float64{*alone.P, 3 * *alone.P}, []float64{*got.P, *got.Adjusted}, "among three p")
}

func TestSwappedSidesSwapSignsAndKeepP(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 12))
	noisy := machine{runSD: 0.05, driftSD: 0.02}
	opposite := map[compare.Outcome]compare.Outcome{compare.Regression: compare.Improvement,
		compare.Improvement: compare.Regression, compare.NoDifference: compare.NoDifference}
	seen := map[compare.Outcome]int{}
	for i := range 150 {
		// Beyond twenty pairs patterns are drawn, and those are the same both ways.
		pairs := 8 + i%4
		if i%50 == 0 {
			pairs = 24
		}
		one := one(noisy.pairs(compare.Order(pairs), []float64{-0.1, 0, 0.1}[i%3], rng))
		swapped := one
		swapped.A, swapped.B = one.B, one.A
		a, b := judge(t, one).Findings[0], judge(t, swapped).Findings[0]
		product := (1 + *a.Change) * (1 + *b.Change)
		edges := (1 + a.Interval[0]) * (1 + b.Interval[1])
		if *a.P != *b.P || opposite[a.Verdict] != b.Verdict || math.Abs(product-1) > 1e-9 || math.Abs(edges-1) > 1e-9 {
			t.Fatalf("%s\nbut with the sides swapped\n%s\nwant the same p, and the opposite otherwise", a.Sentence(), b.Sentence())
		}
		seen[a.Verdict]++
	}
	assert.Lenf(t, seen, 3, "the sets came to %v", seen)
}

// The order of the pairs among themselves, and the unit, tell nothing.
func TestOrderOfPairsAndUnitDoNotMatter(t *testing.T) {
	pairs := ratios(1.1, 1.2, 0.95, 1.15, 1.08, 1.3, 1.01, 1.12)
	want := judge(t, one(pairs)).Findings[0]
	turned := slices.Clone(pairs)
	slices.Reverse(turned)
	for i := range turned {
		turned[i].A /= 1e6
		turned[i].B /= 1e6
	}
	got := judge(t, one(turned)).Findings[0]
	assert.Truef(t, *got.P == *want.P && got.Verdict == want.Verdict && math.Abs(*got.Change-*want.Change) <= 1e-9,
		"turned round and in other units: %s; want %s", got.Sentence(), want.Sentence())
}

// A steady drift moves the pairs by turns up and down, and leaves the middle where
// it is; in sequential order it is all effect.
func TestSteadyDriftCancels(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 12))
	drifting := machine{driftSteady: 0.03}
	if got := judge(t, one(drifting.pairs(compare.Order(10), 0, rng))).Findings[0]; math.Abs(*got.Change) > 1e-9 {
		t.Errorf("a drift of 3%% a run changes by %v; want 0 in the order of the gate", *got.Change)
	}
	got := judge(t, one(drifting.pairs(sequential(10), 0, rng))).Findings[0]
	if want := math.Expm1(0.3); math.Abs(*got.Change-want) > 1e-9 || got.Verdict != compare.Regression {
		t.Errorf("in sequential order it changes by %v; want %v, ten runs' drift", *got.Change, want)
	}
}

func TestOrder(t *testing.T) {
	var letters strings.Builder
	for _, slot := range compare.Order(5) {
		letters.WriteString(slot.Side.String())
	}
	assert.Equal(t, "ABBAABBAAB", letters.String(), "Order(5)")
	got := compare.Order(3)
	assert.Truef(t, got[2] == (compare.Slot{Pair: 1, Side: compare.B}) && got[5].Pair == 2, "Order(3) = %v", got)
	for _, pairs := range []int{0, -1} {
		assert.Lenf(t, compare.Order(pairs), 0, "Order(%d)", pairs)
	}
	for _, pairs := range []int{2, 10} {
		place := map[compare.Side]int{}
		for i, slot := range compare.Order(pairs) {
			place[slot.Side] += i
		}
		assert.Equalf(t, place[compare.B], place[compare.A], "Order(%d): the sums of the places of A and B", pairs)
	}
}

func TestFloorGivesNothingARatio(t *testing.T) {
	share := compare.Metric{Name: "share throttled", Floor: 0.001}
	nothing := slices.Repeat([]pair{{}}, 8)
	got := judge(t, paired(share, nothing)).Findings[0]
	assert.Equal(t, []float64{0, 1}, []float64{*got.Change, *got.P}, "nothing on both sides: change")
	some := slices.Repeat([]pair{{A: 0, B: 0.01}}, 8)
	if got := judge(t, paired(share, some)).Findings[0]; math.Abs(*got.Change-9) > 1e-9 || got.Verdict != compare.Regression {
		t.Errorf("from nothing to ten times the floor: %s; want +900%%, a regression", got.Sentence())
	}
	below := slices.Repeat([]pair{{A: 0.0001, B: 0.0009}}, 8)
	assert.EqualValues(t, 0, *judge(t, paired(share, below)).Findings[0].Change,
		"below the floor on both sides: change")
}

func TestFiguresThatCannotBeJudged(t *testing.T) {
	good := ratios(1, 1, 1, 1, 1, 1, 1, 1)
	with := func(last pair) []compare.Trial {
		return []compare.Trial{one(append(slices.Clone(good[:7]), last))}
	}
	named := func(name string, pairs []pair) compare.Trial {
		return paired(compare.Metric{Name: name}, pairs)
	}
	for _, row := range []struct {
		name   string
		trials []compare.Trial
		what   string
	}{
		{"no metric", nil, "0 metrics"},
		{"four metrics", []compare.Trial{named("a", good), named("b", good), named("c", good), named("d", good)}, "4 metrics"},
		{"two of one name", []compare.Trial{named("a", good), named("a", good)}, `"a" occurs twice`},
		{"no name", []compare.Trial{named("", good)}, "without a name"},
		{"nothing without a floor", with(pair{A: 0, B: 1}), "A of run 8 is 0"},
		{"a negative figure", with(pair{A: 1, B: -1}), "B of run 8 is -1"},
		{"no number", with(pair{A: math.NaN(), B: 1}), "is NaN"},
		{"infinity", with(pair{A: 1, B: math.Inf(1)}), "is +Inf"},
		{"too many pairs", []compare.Trial{named("a", make([]pair, 1001))}, "1001 runs"},
		{"a floor below nothing", []compare.Trial{paired(compare.Metric{Name: "a", Floor: -1}, good)}, "floor -1"},
	} {
		_, err := compare.Gate{}.Judge(row.trials)
		assert.Truef(t, errors.Is(err, compare.ErrFigures) && strings.Contains(err.Error(), row.what),
			"%s: Judge: %v; want ErrFigures with %q", row.name, err, row.what)
	}
	for threshold, fault := range map[float64]bool{0: false, 99: false, -1: true, math.NaN(): true, 100: true} {
		if _, err := (compare.Gate{Threshold: threshold}).Judge([]compare.Trial{one(good)}); errors.Is(err, compare.ErrOptions) != fault {
			t.Errorf("Judge with a threshold of %v = %v; want a fault of the options: %t", threshold, err, fault)
		}
	}
	// The extremes of what is a number have a ratio.
	wide := slices.Repeat([]pair{{A: math.SmallestNonzeroFloat64, B: math.MaxFloat64}}, 1000)
	assert.Equal(t, compare.Regression, judge(t, one(wide)).Verdict, "from the least to the greatest number")
}
