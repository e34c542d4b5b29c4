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
	// blockTimes is the length of a block in correlation times. Shorter blocks make
	// bands too narrow.
	blockTimes = 6
	// minBlocks is the minimum number of blocks of a band.
	minBlocks = 10
	// resamplings is the number of series that are drawn.
	resamplings = 1000
	// bandLevel is the confidence level of a band.
	bandLevel = 0.95
	// The limits of work and memory.
	maxSeconds = 1 << 20
	maxDraws   = 1 << 28
)

// Band is a confidence interval for the mean of a per-second series of one run. It does
// not include the variation between runs and gates nothing. It is slightly narrow with few
// blocks: with 22 blocks, a band of 95% covers the mean of a strongly correlated series in
// nine cases of ten.
type Band struct {
	Mean, Low, High float64
	// Seconds is the length of the shortest series, Block that of a block.
	Seconds, Block int
	// Doubt is why the band is not reliable, empty for none.
	Doubt string
}

// BandOf returns the band of a series with one figure per second, in order. Errors wrap
// [ErrFigures]: no figures, too many, or one that is not a number.
func BandOf(series []float64) (Band, error) {
	return bands{resamples: resamplings}.band([][]float64{series}, func(means []float64) float64 { return means[0] })
}

// BandOfChange returns the band of the change between the means of two runs, as a part of
// one. Each run is resampled separately. In addition to the errors of [BandOf], figures
// below 0 and an earlier mean of 0 are errors.
func BandOfChange(was, is []float64) (Band, error) {
	for _, series := range [][]float64{was, is} {
		if len(series) > 0 && slices.Min(series) < 0 {
			return Band{}, fmt.Errorf("%w: a figure below 0 has no relative change", ErrFigures)
		}
	}
	if len(was) > 0 && statistics.Mean(was) == 0 {
		return Band{}, fmt.Errorf("%w: a mean of 0 has no relative change", ErrFigures)
	}
	return bands{resamples: resamplings}.band([][]float64{was, is}, func(means []float64) float64 { return means[1]/means[0] - 1 })
}

// bands holds how bands are drawn: a block of 0 is [blockTimes] correlation times of the
// series.
type bands struct {
	block, resamples int
	seed             uint64
}

func (o bands) band(all [][]float64, figure func(means []float64) float64) (Band, error) {
	band := Band{Seconds: math.MaxInt}
	blocks, means := make([]int, len(all)), make([]float64, len(all))
	for i, series := range all {
		resamples := o.resamples
		if len(series) == 0 || len(series) > maxSeconds || len(series)*resamples > maxDraws {
			return Band{}, fmt.Errorf("%w: a series of %d seconds, drawn %d times", ErrFigures, len(series), resamples)
		}
		if err := checkFinite(series); err != nil {
			return Band{}, err
		}
		blocks[i] = min(len(series), cmp.Or(o.block, blockTimes*statistics.Correlated(series)))
		band.Seconds, band.Block = min(band.Seconds, len(series)), max(band.Block, blocks[i])
		if len(series) < minBlocks*blocks[i] {
			band.Doubt = fmt.Sprintf("the run is too short: %s hold fewer than %d uncorrelated blocks of %d",
				document.Counted(len(series), "second"), minBlocks, blocks[i])
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
	tail := min((len(drawn)-1)/2, int((1-bandLevel)/2*float64(len(drawn))))
	band.Low, band.High = drawn[tail], drawn[len(drawn)-1-tail]
	return band, nil
}

// checkFinite returns an error for a figure that is not a number.
func checkFinite(series []float64) error {
	for i, value := range series {
		if math.IsNaN(value) || math.IsInf(value, 0) {
			return fmt.Errorf("%w: figure %d is %v", ErrFigures, i+1, value)
		}
	}
	return nil
}
