package statistics

import (
	"math"
	"math/rand/v2"
)

// Divider measures how clearly stretches of values fall apart. It keeps its memory
// from one stretch to the next, and belongs to one goroutine.
type Divider struct {
	// clarity[τ] is the greatest Q(τ,κ) over all κ.
	clarity []float64
	// within and right are the sums of distances within the values before τ, and
	// from τ to κ.
	within, right []float64
	// inverse[k] is 1/k, and 0 for k = 0: a single value has no distances within.
	inverse []float64
}

// NewDivider returns a divider of stretches of so many values at most.
func NewDivider(longest int) *Divider {
	d := &Divider{clarity: make([]float64, longest+1), within: make([]float64, longest+1),
		right: make([]float64, longest+1), inverse: make([]float64, longest+1)}
	for k := 1; k <= longest; k++ {
		d.inverse[k] = 1 / float64(k)
	}
	return d
}

// Measure returns for each index of a stretch, no longer than the divider was made
// for, how clearly it falls apart there; the next call overwrites it. For the n
// values X before τ and the m values Y from τ to κ,
//
//	Q(τ,κ) = 2/(m+n)·Σ|x−y| − 2m/((m+n)(n−1))·Σ|x−x′| − 2n/((m+n)(m−1))·Σ|y−y′|
//
// with each pair once: how much farther apart the sides are than each is in itself
// (Matteson and James, with distances to the power of one). κ is free, so that a
// stretch with several steps does not hide the first. As κ goes up the sums are
// carried along, so that the time grows with the square of the length.
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
		// What lies within all values is what will lie before a later τ.
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

// Divide returns the index of the clearest split, the first of equal ones, and how
// clear it is; 0 where there is none.
func (d *Divider) Divide(values []float64) (at int, clarity float64) {
	for tau, q := range d.Measure(values) {
		if q > clarity {
			at, clarity = tau, q
		}
	}
	return at, clarity
}

// Permuted returns which share of the orders of a stretch fall apart at least as
// clearly as was observed, each at its own clearest split, so that having looked
// for the split is paid for. The order that was observed counts as one of them. It
// stops as soon as the share must be above the limit.
func (d *Divider) Permuted(values []float64, observed, limit float64, rng *rand.Rand) float64 {
	// Twice as many as the limit takes, so that it does not hang on a single one.
	draws := int(math.Ceil(2/limit)) - 1
	order := append([]float64(nil), values...)
	// What differs by rounding alone is a tie.
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
