package compare_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare"
	"loadgen/report/compare/statistics"
	"loadgen/results/resultstest"
)

// threeMetrics are what a scenario declares: each with a luck of its own.
func threeMetrics(m machine, order []compare.Slot, effect float64, rng *rand.Rand) []compare.Trial {
	return []compare.Trial{
		{Metric: compare.Metric{Name: "response p99"}, Pairs: m.pairs(order, effect, rng)},
		{Metric: compare.Metric{Name: "served", Higher: true}, Pairs: m.pairs(order, 0, rng)},
		{Metric: compare.Metric{Name: "share throttled", Floor: 1e-4}, Pairs: m.pairs(order, 0, rng)},
	}
}

// alarms returns how many sets are called a regression or an improvement.
func alarms(t *testing.T, sets int, seed uint64, set func(rng *rand.Rand) []compare.Trial) (regressions, improvements int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 12))
	for range sets {
		switch judge(t, set(rng)...).Verdict {
		case compare.Regression:
			regressions++
		case compare.Improvement:
			improvements++
		}
	}
	return regressions, improvements
}

func TestSetsOfOneBuildRarelyAlarm(t *testing.T) {
	if testing.Short() {
		t.Skip("a statistical test of one goroutine")
	}
	const sets, more = 200, 1500
	machines := resultstest.Cases(2, 4)
	for i, row := range []struct {
		name string
		machine
	}{
		{"a machine that stays as it is", machine{runSD: 0.05}},
		{"a machine that drifts by 5 % a run", machine{runSD: 0.05, driftSD: 0.05}},
		{"a machine that drifts by 2 % a run", machine{runSD: 0.05, driftSD: 0.02}},
		{"a machine that grows 2 % slower with each run", machine{runSD: 0.05, driftSteady: 0.02}},
	}[:machines] {
		// The drift is the same for the metrics of a run in the field; drawing it for
		// each is harder on the gate.
		three := func(rng *rand.Rand) []compare.Trial {
			return threeMetrics(row.machine, compare.Order(compare.DefaultPairs), 0, rng)
		}
		single := func(rng *rand.Rand) []compare.Trial {
			return []compare.Trial{one(row.pairs(compare.Order(compare.DefaultPairs), 0, rng))}
		}
		for _, set := range []func(rng *rand.Rand) []compare.Trial{three, single} {
			up, down := alarms(t, sets, uint64(i), set)
			assert.Truef(t, up <= sets*3/100 && atMost(up+down, sets, compare.DefaultAlpha),
				"%s: %d of %d sets alarm, and %d are improvements; want at most 3 %%, and both within 5 %%", row.name, up, sets, down)
		}
		up, down := alarms(t, more, uint64(100+i), single)
		assert.Truef(t, surelyBelow(up, more, 0.03) && atMost(up+down, more, compare.DefaultAlpha),
			"%s: %d of %d sets alarm, and %d are improvements; want surely less than 3 %%, and both within 5 %%", row.name, up, more, down)
	}
}

func TestTenPercentIsFound(t *testing.T) {
	if testing.Short() {
		t.Skip("a statistical test of one goroutine")
	}
	sets := resultstest.Cases(500, 1000)
	for _, row := range []struct {
		name string
		machine
		effect float64
		three  bool
	}{
		{"ten percent, one metric", machine{runSD: 0.05}, 0.10, false},
		{"ten percent in one of three metrics", machine{runSD: 0.05}, 0.10, true},
		{"ten percent on a machine that drifts by 2 % a run", machine{runSD: 0.05, driftSD: 0.02}, 0.10, false},
		{"an improvement by as much", machine{runSD: 0.05}, 1/1.1 - 1, false},
	} {
		found, missed := alarms(t, sets, 3, func(rng *rand.Rand) []compare.Trial {
			order := compare.Order(compare.DefaultPairs)
			if row.three {
				return threeMetrics(row.machine, order, row.effect, rng)
			}
			return []compare.Trial{one(row.pairs(order, row.effect, rng))}
		})
		if row.effect < 0 {
			found, missed = missed, found
		}
		// Surely above 80 %: fewer than 20 % are missed.
		assert.Truef(t, surelyBelow(sets-found, sets, 0.20) && missed <= sets/100,
			"%s: found in %d of %d sets, and the opposite in %d; want surely more than 80 %%, and next to none", row.name, found, sets, missed)
	}
}

// The interval has to hold the true change as often as it says.
func TestIntervalHoldsTheTrueChange(t *testing.T) {
	const sets, effect = 2000, 0.07
	rng := rand.New(rand.NewPCG(5, 12))
	steady, held := machine{runSD: 0.05}, 0
	for range sets {
		interval := judge(t, one(steady.pairs(compare.Order(8), effect, rng))).Findings[0].Interval
		if interval[0] <= effect && effect <= interval[1] {
			held++
		}
	}
	// By the order of subset means, exactly 1 − 2·6/256 = 95.3 %.
	assert.Truef(t, atMost(held, sets, 244.0/256) && atMost(sets-held, sets, 12.0/256),
		"the interval holds the true change in %d of %d sets; want about 95.3 %%", held, sets)
}

// correlatedSeries is a series in which each second keeps a share of the one before.
func correlatedSeries(n int, keep float64, rng *rand.Rand) []float64 {
	series, state := make([]float64, n), 0.0
	for i := range series {
		state = keep*state + math.Sqrt(1-keep*keep)*rng.NormFloat64()
		series[i] = 100 * (1 + 0.1*state)
	}
	return series
}

// The mean of a series without correlation has the standard error of the textbooks.
func TestBandOfNoiseIsTheStandardError(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	series := normal(900, 100, 0.1, rng)
	for _, block := range []int{0, 1, 10} {
		band, err := compare.BandWith(block, 1000, 1, series)
		require.NoError(t, err)
		// 10 / √900, twice 1.96 times.
		want := 2 * 1.96 * 10.0 / 30
		if width := band.High - band.Low; math.Abs(width/want-1) > 0.15 || band.Doubt != "" {
			t.Errorf("Of noise in blocks of %d = %+v, %v wide; want %v", block, band, width, want)
		}
		assert.Truef(t, band.Mean >= band.Low && band.Mean <= band.High && band.Seconds == 900,
			"Of noise in blocks of %d = %+v; want the mean inside, of 900 seconds", block, band)
	}
}

// Whoever takes a correlated series for noise gets bands that are far too narrow;
// blocks make them wide enough.
func TestBandHoldsTheMeanOfACorrelatedSeries(t *testing.T) {
	if testing.Short() {
		t.Skip("a statistical test of one goroutine")
	}
	const sets = 150
	held := func(block int) (count int) {
		rng := rand.New(rand.NewPCG(2, 3))
		for i := range sets {
			band, err := compare.BandWith(block, 200, uint64(i), correlatedSeries(1200, 0.8, rng))
			require.NoError(t, err)
			if band.Low <= 100 && 100 <= band.High {
				count++
			}
		}
		return count
	}
	blocks, single := held(0), held(1)
	assert.Truef(t, surelyBelow(sets-blocks, sets, 0.25),
		"blocks hold the mean in %d of %d series; want surely more than 75 %%", blocks, sets)
	assert.Truef(t, single <= sets*2/3,
		"single seconds hold it in %d of %d series; want far fewer, or blocks would be idle", single, sets)
}

func TestCorrelatedSeconds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, row := range []struct {
		name        string
		series      []float64
		least, most int
	}{
		{"one second", []float64{1}, 1, 1},
		{"a constant", slices.Repeat([]float64{7}, 50), 1, 1},
		{"noise", normal(5000, 100, 0.1, rng), 1, 2},
		// Theory: (1+ρ)/(1−ρ).
		{"half of it kept", correlatedSeries(20_000, 0.5, rng), 3, 4},
		{"nine tenths kept", correlatedSeries(20_000, 0.9, rng), 15, 23},
	} {
		got := statistics.Correlated(row.series)
		assert.Truef(t, got >= row.least && got <= row.most, "%s: correlated = %d", row.name, got)
	}
}

func TestBandOfChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	was, is := normal(600, 100, 0.1, rng), normal(600, 110, 0.1, rng)
	band, err := compare.BandOfChange(was, is)
	assert.Truef(t, err == nil && band.Low >= 0.07 && band.Low <= 0.1 && band.High >= 0.1 && band.High <= 0.13,
		"OfChange from 100 to 110 = %+v, %v; want about 0.1 ± 0.013", band, err)
	again, _ := compare.BandOfChange(was, is)
	assert.Truef(t, again == band, "OfChange again = %+v; want %+v", again, band)
	same, err := compare.BandOfChange([]float64{5, 5}, []float64{5, 5})
	assert.Truef(t, err == nil && same.Low == 0 && same.High == 0 && same.Doubt != "",
		"OfChange of two seconds each = %+v, %v; want 0, in doubt", same, err)
}

func TestShortRunsAreInDoubt(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 3))
	band, err := compare.BandOf(correlatedSeries(100, 0.9, rng))
	assert.Truef(t, err == nil && strings.Contains(band.Doubt, "100 seconds"),
		"Of a hundred seconds: doubt %q, %v; want that they are too few", band.Doubt, err)
	if band, _ := compare.BandWith(500, 1000, 0, []float64{1, 2, 3}); band.Block != 3 || math.Abs(band.High-band.Low) > 1e-9 {
		t.Errorf("Of three seconds in one block = %+v; want no width at all, for any block holds all of them", band)
	}
}

func TestBandFaults(t *testing.T) {
	for _, series := range [][]float64{nil, {math.NaN()}, {1, math.Inf(1)}, make([]float64, 1<<20+1), make([]float64, 1<<19)} {
		_, err := compare.BandOf(series)
		assert.ErrorIsf(t, err, compare.ErrFigures, "Of %d seconds that cannot be", len(series))
	}
	for _, was := range [][]float64{nil, {0, 0}, {-1, 2}} {
		_, err := compare.BandOfChange(was, []float64{1})
		assert.ErrorIsf(t, err, compare.ErrFigures, "OfChange from %v: %v; want ErrFigures", was, err)
	}
}
