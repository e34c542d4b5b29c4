package compare_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/compare"
	"loadgen/results/resultstest"
)

// threeMetrics are what a scenario declares: each with a luck of its own.
func threeMetrics(m machine, order []compare.Slot, effect float64, rng *rand.Rand) []compare.Trial {
	return []compare.Trial{
		paired(compare.Metric{Name: "response p99"}, m.pairs(order, effect, rng)),
		paired(compare.Metric{Name: "served", Higher: true}, m.pairs(order, 0, rng)),
		paired(compare.Metric{Name: "share throttled", Floor: 1e-4}, m.pairs(order, 0, rng)),
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
		{"a machine that drifts by 5% a run", machine{runSD: 0.05, driftSD: 0.05}},
		{"a machine that drifts by 2% a run", machine{runSD: 0.05, driftSD: 0.02}},
		{"a machine that grows 2% slower with each run", machine{runSD: 0.05, driftSteady: 0.02}},
	}[:machines] {
		// The drift is the same for the metrics of a run in the field; drawing it for
		// each is harder on the gate.
		three := func(rng *rand.Rand) []compare.Trial {
			return threeMetrics(row.machine, compare.Order(compare.DefaultRuns), 0, rng)
		}
		single := func(rng *rand.Rand) []compare.Trial {
			return []compare.Trial{one(row.pairs(compare.Order(compare.DefaultRuns), 0, rng))}
		}
		for _, set := range []func(rng *rand.Rand) []compare.Trial{three, single} {
			up, down := alarms(t, sets, uint64(i), set)
			assert.Truef(t, up <= sets*3/100 && atMost(up+down, sets, compare.Alpha),
				"%s: %d of %d sets alarm, and %d are improvements; want at most 3%%, and both within 5%%", row.name, up, sets, down)
		}
		up, down := alarms(t, more, uint64(100+i), single)
		assert.Truef(t, surelyBelow(up, more, 0.03) && atMost(up+down, more, compare.Alpha),
			"%s: %d of %d sets alarm, and %d are improvements; want surely less than 3%%, and both within 5%%", row.name, up, more, down)
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
		{"ten percent on a machine that drifts by 2% a run", machine{runSD: 0.05, driftSD: 0.02}, 0.10, false},
		{"an improvement by as much", machine{runSD: 0.05}, 1/1.1 - 1, false},
	} {
		found, missed := alarms(t, sets, 3, func(rng *rand.Rand) []compare.Trial {
			order := compare.Order(compare.DefaultRuns)
			if row.three {
				return threeMetrics(row.machine, order, row.effect, rng)
			}
			return []compare.Trial{one(row.pairs(order, row.effect, rng))}
		})
		if row.effect < 0 {
			found, missed = missed, found
		}
		// Surely above 80%: fewer than 20% are missed.
		assert.Truef(t, surelyBelow(sets-found, sets, 0.20) && missed <= sets/100,
			"%s: found in %d of %d sets, and the opposite in %d; want surely more than 80%%, and next to none", row.name, found, sets, missed)
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
	// By the order of subset means, exactly 1 − 2·6/256 = 95.3%.
	assert.Truef(t, atMost(held, sets, 244.0/256) && atMost(sets-held, sets, 12.0/256),
		"the interval holds the true change in %d of %d sets; want about 95.3%%", held, sets)
}

// night returns the runs of a night, each with a luck of its own.
func (m machine) night(runs int, effect float64, rng *rand.Rand) []float64 {
	values := make([]float64, runs)
	for i := range values {
		values[i] = 5000 * (1 + effect) * math.Exp(m.runSD*rng.NormFloat64())
	}
	return values
}

// Runs of two nights: 200 sets without a change and with one, by a threshold of 4%, a
// metric and three.
func TestNightsAreFoundAndRarelyAlarm(t *testing.T) {
	const sets = 200
	steady := machine{runSD: 0.03}
	trial := func(name string, runs int, effect float64, rng *rand.Rand) compare.Trial {
		return compare.Trial{Metric: compare.Metric{Name: name, Threshold: .04}, A: steady.night(runs, 0, rng), B: steady.night(runs, effect, rng)}
	}
	count := func(effect float64, metrics int) (regressions, improvements int) {
		return alarms(t, sets, 7, func(rng *rand.Rand) (all []compare.Trial) {
			for i := range metrics {
				all = append(all, trial(string(rune('a'+i)), 8, effect*float64(max(0, 1-i)), rng))
			}
			return all
		})
	}
	for _, metrics := range []int{1, 3} {
		worse, better := count(0, metrics)
		assert.LessOrEqualf(t, worse+better, sets*5/100, "%d metrics without a change: alarms", metrics)
		found, better := count(.10, metrics)
		assert.Truef(t, found >= sets*95/100 && better == 0, "%d metrics, +10%%: found in %d of %d, better in %d", metrics, found, sets, better)
		found, better = count(.05, metrics)
		// With three, one that did not change may be called better, as often as any alarm.
		assert.Truef(t, found >= sets*50/100 && better <= metrics-1, "%d metrics, +5%%: found in %d of %d, better in %d", metrics, found, sets, better)
	}
	// Runs of a machine that was slower, and nights that vary, show nothing.
	rng := rand.New(rand.NewPCG(3, 3))
	drifted, noisy := trial("p99", 8, .10, rng), trial("p99", 8, .10, rng)
	drifted.Drift, noisy.Noise = 400, .15
	for _, one := range []compare.Trial{drifted, noisy} {
		assert.Equal(t, compare.Inconclusive, judge(t, one).Verdict)
	}
	few := trial("p99", 3, 5, rng)
	assert.Equal(t, compare.Inconclusive, judge(t, few).Verdict)
}
