package compare

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"loadgen/report/compare/statistics"
	"loadgen/report/document"
)

const (
	// blockTimes is how many times of correlation a block lasts: with fewer, bands
	// are too narrow.
	blockTimes = 6
	// fewestBlocks is how many blocks a band has to rest on.
	fewestBlocks = 10
	// usualResamples is how many series are put together.
	usualResamples = 1000
	// bandLevel is how often a band is to hold the mean, were the run without end.
	bandLevel = 0.95
	// The bounds of the work, and of memory.
	mostSeconds = 1 << 20
	mostDraws   = 1 << 28
)

// Band is between which bounds the mean of a per-second series may lie, as far as
// the run itself can tell. It knows nothing of how runs differ, and gates nothing. It
// is a little narrow while the blocks are few: with 22 of them, bands of 95 % hold the
// mean of a strongly correlated series in nine cases of ten.
type Band struct {
	Mean, Low, High float64
	// Seconds is the length of the shortest series, Block how many of them were
	// drawn together.
	Seconds, Block int
	// Doubt says why the band is not to be relied on, empty where nothing is known
	// against it.
	Doubt string
}

// BandOf returns the band of a series of one figure a whole second, in order. Errors
// wrap [ErrFigures]: none, too many, or one that is no number.
func BandOf(series []float64) (Band, error) {
	return bands{resamples: usualResamples}.band([][]float64{series}, func(means []float64) float64 { return means[0] })
}

// BandOfChange returns the band of the change from one run's mean to another's, as a
// part of one, each run drawn by itself. Besides what [BandOf] returns, figures below 0,
// or a mean of 0 before, are an error.
func BandOfChange(was, is []float64) (Band, error) {
	for _, series := range [][]float64{was, is} {
		if len(series) > 0 && slices.Min(series) < 0 {
			return Band{}, fmt.Errorf("%w: a figure below 0 has no relative change", ErrFigures)
		}
	}
	if len(was) > 0 && statistics.Mean(was) == 0 {
		return Band{}, fmt.Errorf("%w: nothing before, so that there is no relative change", ErrFigures)
	}
	return bands{resamples: usualResamples}.band([][]float64{was, is}, func(means []float64) float64 { return means[1]/means[0] - 1 })
}

// bands says how bands are drawn: a block of 0 is [blockTimes] as long as the series is
// correlated, as it tells itself.
type bands struct {
	block, resamples int
	seed             uint64
}

func (o bands) band(all [][]float64, figure func(means []float64) float64) (Band, error) {
	band := Band{Seconds: math.MaxInt}
	blocks, means := make([]int, len(all)), make([]float64, len(all))
	for i, series := range all {
		resamples := o.resamples
		if len(series) == 0 || len(series) > mostSeconds || len(series)*resamples > mostDraws {
			return Band{}, fmt.Errorf("%w: a series of %d seconds, drawn %d times", ErrFigures, len(series), resamples)
		}
		if err := checkFinite(series); err != nil {
			return Band{}, err
		}
		blocks[i] = min(len(series), cmp.Or(o.block, blockTimes*statistics.Correlated(series)))
		band.Seconds, band.Block = min(band.Seconds, len(series)), max(band.Block, blocks[i])
		if len(series) < fewestBlocks*blocks[i] {
			band.Doubt = fmt.Sprintf("the run is too short: %s hold fewer than %d blocks of %d that are not correlated",
				document.Counted(len(series), "second"), fewestBlocks, blocks[i])
		}
		means[i] = statistics.Mean(series)
	}
	band.Mean = figure(means)
	drawn := make([]float64, o.resamples)
	rng := rand.New(rand.NewPCG(o.seed, uint64(band.Seconds)))
	for n := range drawn {
		for i, series := range all {
			means[i] = statistics.ResampledMean(series, blocks[i], rng)
		}
		drawn[n] = figure(means)
	}
	slices.Sort(drawn)
	beyond := min((len(drawn)-1)/2, int((1-bandLevel)/2*float64(len(drawn))))
	band.Low, band.High = drawn[beyond], drawn[len(drawn)-1-beyond]
	return band, nil
}

// checkFinite returns an error where a figure is no number.
func checkFinite(series []float64) error {
	for i, value := range series {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("%w: figure %d is %v", ErrFigures, i+1, value)
		}
	}
	return nil
}
