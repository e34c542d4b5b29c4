package statistics

import (
	"math"
	"math/rand/v2"
)

// Divider finds change points in windows of values. It reuses its memory and is not safe for
// concurrent use.
type Divider struct {
	// clarity[τ] is the maximum of Q(τ,κ) over all κ.
	clarity []float64
	// within and right are the sums of distances among the values before τ, and from τ to κ.
	within, right []float64
	// inverse[k] is 1/k, and 0 for k = 0.
	inverse []float64
}

// NewDivider returns a divider for windows of at most maxValues values.
func NewDivider(maxValues int) *Divider {
	d := &Divider{clarity: make([]float64, maxValues+1), within: make([]float64, maxValues+1),
		right: make([]float64, maxValues+1), inverse: make([]float64, maxValues+1)}
	for k := 1; k <= maxValues; k++ {
		d.inverse[k] = 1 / float64(k)
	}
	return d
}

// Measure returns the clarity of a split at each index of a window. The next call overwrites
// the result. For the n values X before τ and the m values Y from τ to κ, it is
//
//	Q(τ,κ) = 2/(m+n)·Σ|x−y| − 2m/((m+n)(n−1))·Σ|x−x′| − 2n/((m+n)(m−1))·Σ|y−y′|
//
// with each pair once: the distance between the sides minus the distances within them
// (Matteson and James, with exponent one). κ is free, so that later steps in a window do not
// hide the first. Sums are updated as κ grows, so that the time is quadratic.
func (d *Divider) Measure(values []float64) []float64 {
	clear(d.clarity)
	clear(d.right)
	all := 0.0
	for kappa := 2; kappa <= len(values); kappa++ {
		newest, toAll, toLeft := values[kappa-1], 0.0, 0.0
		for _, value := range values[:kappa-1] {
			toAll += math.Abs(value - newest)
		}
		all += toAll
		d.within[kappa] = all
		for tau := 1; tau < kappa; tau++ {
			toLeft += math.Abs(values[tau-1] - newest)
			d.right[tau] += toAll - toLeft
			before, after := d.within[tau], d.right[tau]
			n, m := float64(tau), float64(kappa-tau)
			q := all - before - after - before*m*d.inverse[tau-1] - after*n*d.inverse[kappa-tau-1]
			if q *= 2 * d.inverse[kappa]; q > d.clarity[tau] {
				d.clarity[tau] = q
			}
		}
	}
	return d.clarity[:len(values)]
}

// Divide returns the index and clarity of the clearest split, the first of equal ones, or 0.
func (d *Divider) Divide(values []float64) (at int, clarity float64) {
	for tau, q := range d.Measure(values) {
		if q > clarity {
			at, clarity = tau, q
		}
	}
	return at, clarity
}

// Permuted returns the share of permutations whose clearest split is at least as clear as
// observed. Searching each permutation corrects for the search of the split. The observed
// order counts as one permutation. It stops when the share must exceed the limit.
func (d *Divider) Permuted(values []float64, observed, limit float64, rng *rand.Rand) float64 {
	// Twice the minimum, so that the result does not depend on one permutation.
	draws := int(math.Ceil(2/limit)) - 1
	order := append([]float64(nil), values...)
	// Differences by rounding are ties.
	observed -= 1e-9 * math.Abs(observed)
	hits := 1
	for n := range draws {
		rng.Shuffle(len(order), func(i, k int) { order[i], order[k] = order[k], order[i] })
		if _, clarity := d.Divide(order); clarity >= observed {
			hits++
		}
		if float64(hits) > limit*float64(draws+1)+1e-9 {
			return float64(hits) / float64(n+2)
		}
	}
	return float64(hits) / float64(draws+1)
}
