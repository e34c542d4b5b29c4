package chart_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/chart"
	"loadgen/results"
)

// What a bar counts is counted once more, from the histogram of each phase.
func TestLatencyBarsCountTheirRange(t *testing.T) {
	record := stress()
	type buckets struct {
		kind int
		list []results.Bar
	}
	var all []buckets
	for p := range record.Phases {
		for k := range record.Phases[p].Kinds {
			if record.Phases[p].Reported {
				all = append(all, buckets{k, record.Phases[p].Kinds[k].Response.Bars()})
			}
		}
	}
	var sum int64
	last, bars := int64(-1), chart.LatencyBars(record)
	for _, bar := range bars {
		sum += bar.Counts[0] + bar.Counts[1]
		assert.Truef(t, bar.From > last && bar.To >= bar.From && bar.Counts != [3]int64{},
			"bar %+v after %d µs; want bars that rise and are not empty", bar, last)
		last = bar.To
		want := chart.DurationBar{From: bar.From, To: bar.To}
		for _, one := range all {
			for _, bucket := range one.list {
				switch {
				case bucket.From < bar.From || bucket.From > bar.To:
				case one.kind == 0:
					want.Counts[0] += bucket.Count
				default:
					want.Counts[1] += bucket.Count
				}
			}
		}
		assert.Truef(t, bar == want, "LatencyBars has %+v; want %+v", bar, want)
	}
	want := record.Total(results.Reported).Succeeded
	assert.Truef(t, sum == want && sum != 0 && len(bars) <= chart.MaxBars, "%d bars sum to %d", len(bars), sum)
}

func TestClassesContainTheirRange(t *testing.T) {
	const hour = int64(time.Hour / time.Microsecond)
	for _, row := range []struct {
		name     string
		from, to int64
	}{
		{"only zero", 0, 0},
		{"only one microsecond", 1, 1},
		{"one long duration", 4000, 4000},
		{"only an hour", hour, hour},
		{"zero to an hour", 0, hour},
		{"a microsecond to an hour", 1, hour},
		{"three decades of short ones", 1, 1000},
		{"a narrow range", 250_000, 260_000},
		{"a decade", 1000, 10_000},
		{"just below a bound", 999, 9999},
	} {
		bounds := chart.Classes(row.from, row.to)
		if bounds[0] > row.from || bounds[len(bounds)-1] <= row.to {
			t.Errorf("%s: Classes(%d, %d) = %d … %d; want both inside", row.name, row.from, row.to, bounds[0], bounds[len(bounds)-1])
		}
		assert.Truef(t, len(bounds) <= 2 || (bounds[1] > row.from && bounds[len(bounds)-2] <= row.to),
			"%s: Classes(%d, %d) = %v; want no empty class at the ends", row.name, row.from, row.to, bounds)
		assert.Truef(t, len(bounds)-1 <= chart.MaxBars, "%s: %d classes; want %d at most", row.name, len(bounds)-1, chart.MaxBars)
		assert.Truef(t, slices.IsSorted(bounds) && len(slices.Compact(slices.Clone(bounds))) == len(bounds),
			"%s: Classes(%d, %d) = %v; want rising bounds", row.name, row.from, row.to, bounds)
	}
}

// The percentiles agree with those of the sorted durations to the precision of
// the histogram, and none rests on fewer than ten durations.
func TestPercentileCurveAgreesWithSorting(t *testing.T) {
	const seed = 7
	for _, n := range []int{0, 1, 9, 10, 11, 100, 1000, 54321} {
		rng := rand.New(rand.NewPCG(seed, uint64(n)))
		h := results.NewHistogram()
		micros := make([]float64, n)
		for i := range micros {
			micros[i] = math.Floor(3000 * math.Exp(1.5*rng.NormFloat64()))
			h.Record(time.Duration(micros[i]) * time.Microsecond)
		}
		slices.Sort(micros)
		curve := chart.PercentileCurve(h)
		require.Equalf(t, n >= 10, len(curve) > 0, "seed %d: %d percentiles of %d durations", seed, len(curve), n)
		for _, p := range []float64{.5, .9, .99, .999} {
			want, told := h.Quantile(p)
			i := slices.IndexFunc(curve, func(at chart.Percentile) bool { return at.P == p })
			assert.Truef(t, told == (i >= 0) && (!told || curve[i].Micros == want), "n %d: p%v is at %d of the curve", n, 100*p, i)
		}
		for i, at := range curve {
			if beyond := float64(n) * (1 - at.P); beyond < 10-1e-6 {
				t.Errorf("seed %d, n %d: p%v has %v durations beyond it; want ten", seed, n, 100*at.P, beyond)
			}
			if i > 0 && (at.P <= curve[i-1].P || at.Micros < curve[i-1].Micros) {
				t.Errorf("seed %d, n %d: %v after %v; want a curve that rises", seed, n, at, curve[i-1])
			}
			// Between two ranks, either of them is a quantile.
			rank := float64(n) * at.P
			least, greatest := micros[max(0, int(rank+1e-6)-1)], micros[max(0, int(math.Ceil(rank-1e-6))-1)]
			if got := float64(at.Micros); got < least-1-least/500 || got > greatest+1+greatest/500 {
				t.Errorf("seed %d, n %d: p%v = %d µs; want %v to %v", seed, n, 100*at.P, at.Micros, least, greatest)
			}
		}
	}
}
