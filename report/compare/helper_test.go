package compare_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/report/compare"
)

// machine runs a build: each run has its own luck, and the machine drifts from one
// run to the next.
type machine struct {
	// runSD is the luck of a run, driftSD the step of a random walk, both as a part
	// of one; driftSteady is what each run is slower than the one before.
	runSD, driftSD, driftSteady float64
}

// pair is a metric of two runs that followed each other.
type pair struct{ A, B float64 }

// paired returns pairs as a trial.
func paired(m compare.Metric, pairs []pair) compare.Trial {
	t := compare.Trial{Metric: m, Paired: true}
	for _, one := range pairs {
		t.A, t.B = append(t.A, one.A), append(t.B, one.B)
	}
	return t
}

// pairs takes the runs in an order, and returns p50-like figures of each pair. B is
// slower by the effect.
func (m machine) pairs(order []compare.Slot, effect float64, rng *rand.Rand) []pair {
	pairs := make([]pair, len(order)/2)
	speed := 0.0
	for _, slot := range order {
		value := 5000 * math.Exp(speed+m.runSD*rng.NormFloat64())
		if slot.Side == compare.A {
			pairs[slot.Pair].A = value
		} else {
			pairs[slot.Pair].B = value * (1 + effect)
		}
		speed += m.driftSteady + m.driftSD*rng.NormFloat64()
	}
	return pairs
}

// sequential is the order that a gate must not have: all of A before all of B.
func sequential(pairs int) []compare.Slot {
	var slots []compare.Slot
	for _, side := range []compare.Side{compare.A, compare.B} {
		for i := range pairs {
			slots = append(slots, compare.Slot{Pair: i, Side: side})
		}
	}
	return slots
}

// judge judges trials that have to be sound.
func judge(t *testing.T, trials ...compare.Trial) compare.Judgement {
	t.Helper()
	judgement, err := compare.Gate{}.Judge(trials)
	require.NoError(t, err)
	return judgement
}

// one is the trial of a single metric of which less is better.
func one(pairs []pair) compare.Trial {
	return paired(compare.Metric{Name: "response p99"}, pairs)
}

// atMost says whether seeing so many of n is compatible with a share of at most
// that much: whether the chance of seeing so many or more is 0.1% or more.
func atMost(seen, n int, share float64) bool { return 1-binomialBelow(seen, n, share) >= 0.001 }

// surelyBelow says whether so few of n prove a share below that much, at 0.1%.
func surelyBelow(seen, n int, share float64) bool { return binomialBelow(seen+1, n, share) <= 0.001 }

// binomialBelow is the chance of fewer than k of n.
func binomialBelow(k, n int, share float64) float64 {
	return distuv.Binomial{N: float64(n), P: share}.CDF(float64(k - 1))
}

// normal returns values around a centre.
func normal(n int, centre, sd float64, rng *rand.Rand) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = centre * (1 + sd*rng.NormFloat64())
	}
	return values
}
