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
)

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
