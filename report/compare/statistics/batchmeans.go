package statistics

import "math"

// How much evidence an interval of [BatchMeans] needs.
const (
	// fewestBatches are so many that the correlation of one with the next can be told from
	// chance, fewestFigures the least length of a series.
	fewestBatches, fewestFigures = 20, 30
	// mostCorrelated is up to which correlation of neighbouring batches what is left of it is
	// corrected for, rather than batches made longer.
	mostCorrelated = 0.5
	// independent is how many figures that do not depend on each other a series has to be
	// worth. With fewer, the correlation is told so badly that intervals are too narrow.
	independent = 30
)

// Batched is the mean of a series each of whose figures may depend on those before it.
type Batched struct {
	Mean float64
	// Half is half of the 95 % interval of the mean, Batch how many figures each of the means
	// is of that it follows from. They say nothing unless Told.
	Half  float64
	Batch int
	Told  bool
}

// BatchMeans returns the mean of a series with its interval by the means of batches that do
// not overlap (Conway 1963), Student's t over their number less one. Batches grow by half
// until neighbours are little correlated (Law and Carson 1979). The correlation ρ is the one
// of the lag one, made up for its bias of −(1 + 3ρ)/n (Marriott and Pope 1954); what is left
// of it widens the interval by √((1 + ρ)/(1 − ρ)), as of an autoregressive process of the
// first order (Steiger et al. 2005). There is no interval where fewer than twenty batches are
// left, or where the series has fewer than thirty figures, or is worth less than thirty that
// are independent by the same correction. What came before a series settles must not be in
// it. Of figures that make up for each other the interval is too wide.
func BatchMeans(series []float64) Batched {
	found := Batched{Mean: Mean(series)}
	n := float64(len(series))
	if len(series) < fewestFigures || n < independent*inflation(neighbours(series)) {
		return found
	}
	for batch := 1; len(series)/batch >= fewestBatches; batch += max(1, batch/2) {
		means := make([]float64, len(series)/batch)
		first := len(series) - len(means)*batch
		for i := range means {
			means[i] = Mean(series[first+i*batch : first+(i+1)*batch])
		}
		correlation := neighbours(means)
		if correlation > mostCorrelated {
			continue
		}
		k := float64(len(means))
		variance := Squares(means) / (k - 1) / k * inflation(correlation)
		found.Half, found.Batch, found.Told = critical(0.05, k-1)*math.Sqrt(variance), batch, true
		return found
	}
	return found
}

// neighbours returns the correlation of each figure with the next, made up for its bias.
func neighbours(series []float64) float64 {
	squares, centre, products := Squares(series), Mean(series), 0.0
	if squares <= 0 {
		return 0
	}
	for i := range len(series) - 1 {
		products += (series[i] - centre) * (series[i+1] - centre)
	}
	correlation := products / squares
	return min(0.99, correlation+(1+3*max(0, correlation))/float64(len(series)))
}

// inflation is by how much the variance of a mean is greater than that of independent
// figures, 1 where they make up for each other.
func inflation(correlation float64) float64 {
	return max(1, (1+correlation)/(1-correlation))
}
