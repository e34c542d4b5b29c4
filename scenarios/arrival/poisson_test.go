package arrival_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/stat/distuv"

	"loadgen/scenarios/arrival"
)

// The gaps between random arrivals are exponential: Kolmogorov and Smirnov's
// distance, 1.95/√n at one in a thousand.
func TestPoissonGapsAreExponential(t *testing.T) {
	for _, test := range []struct {
		name   string
		rate   float64
		length time.Duration
	}{
		{"a rate below one in a slot", 40, 1000 * time.Second},
		{"slots of the usual size", 2000, 20 * time.Second},
		{"the highest rate there is", arrival.MaxRate, 4 * time.Millisecond},
	} {
		p := random(t, test.rate, test.length, 6)
		gaps := make([]float64, 0, p.Len())
		last := time.Duration(0)
		for n := range p.Len() {
			at := p.At(n)
			gaps = append(gaps, (at-last).Seconds()*test.rate)
			last = at
		}
		slices.Sort(gaps)
		// Gaps at the highest rate are told in tens of nanoseconds, a hundredth of
		// their mean, by which a distribution of whole numbers is off.
		distance, n := 0.0, float64(len(gaps))
		for i, gap := range gaps {
			theory := 1 - math.Exp(-gap)
			distance = max(distance, math.Abs(float64(i+1)/n-theory), math.Abs(float64(i)/n-theory))
		}
		if limit := 1.95/math.Sqrt(n) + test.rate/1e9; distance > limit || n < 20_000 {
			t.Errorf("%s: the gaps of %.0f arrivals are %.4f from exponential; want at most %.4f", test.name, n, distance, limit)
		}
	}
}

// counted is how many arrivals fall into each of so many equal parts of a second,
// for runs of one second under seeds of their own.
func counted(t *testing.T, rate float64, runs uint64, parts int) []int {
	var counts []int
	for seed := range runs {
		p := random(t, rate, time.Second, seed)
		in := make([]int, parts)
		for n := range p.Len() {
			in[int(p.At(n)*time.Duration(parts)/time.Second)]++
		}
		counts = append(counts, in...)
	}
	return counts
}

// Counts in equal stretches of time are Poisson distributed: chi-square over the
// counts that are expected ten times or more, at one in a thousand.
func TestPoissonCounts(t *testing.T) {
	for _, test := range []struct {
		name  string
		rate  float64
		runs  uint64
		parts int
	}{
		{"the whole of a run, drawn by rejection", 50, 4000, 1},
		{"the whole of a run, drawn by multiplying", 4, 4000, 1},
		{"parts of a slot", 60, 1000, 16},
		{"parts of several slots", 1000, 100, 50},
	} {
		counts := counted(t, test.rate, test.runs, test.parts)
		mean := test.rate / float64(test.parts)
		observed := map[int]float64{}
		for _, count := range counts {
			observed[count]++
		}
		square, degrees, rest, restSeen := 0.0, 0, float64(len(counts)), float64(len(counts))
		for k := 0; float64(k) < mean*3+20; k++ {
			expected := float64(len(counts)) * distuv.Poisson{Lambda: mean}.Prob(float64(k))
			if expected < 10 {
				continue
			}
			square += (observed[k] - expected) * (observed[k] - expected) / expected
			rest, restSeen, degrees = rest-expected, restSeen-observed[k], degrees+1
		}
		if rest > 5 {
			square += (restSeen - rest) * (restSeen - rest) / rest
		} else {
			degrees--
		}
		assert.GreaterOrEqualf(t, distuv.ChiSquared{K: float64(degrees)}.Survival(square), .001,
			"%s: a chi-square of %.1f with %d degrees of freedom", test.name, square, degrees)
	}
}

// Counts of neighbouring stretches do not hang together, across slots or within.
func TestPoissonStretchesAreIndependent(t *testing.T) {
	counts := counted(t, 1000, 40, 250)
	sum, square, beside := 0.0, 0.0, 0.0
	const mean = 4
	for i, count := range counts {
		off := float64(count) - mean
		sum += off
		square += off * off
		if i > 0 {
			beside += off * (float64(counts[i-1]) - mean)
		}
	}
	n := float64(len(counts))
	assert.InDelta(t, mean, square/n, .06*mean, "the variance of the counts")
	assert.InDelta(t, 0, beside/square, 3.3/math.Sqrt(n), "the correlation of neighbouring counts")
}

// A day at a million operations per second is a bounded table, and an instant a
// bounded number of draws.
func TestPoissonOfADay(t *testing.T) {
	p := random(t, 1_000_000, day, 1)
	const want = 86_400_000_000
	assert.InDelta(t, want, p.Len(), 4*math.Sqrt(want), "Len()")
	last := time.Duration(-1)
	for n := uint64(0); n < p.Len(); n += p.Len() / 1000 {
		at := p.At(n)
		if at < last || math.Abs(at.Seconds()-float64(n)/1e6) > 2 {
			t.Fatalf("At(%d) = %v after %v; want about %.1f s", n, at, last, float64(n)/1e6)
		}
		last = at
	}
}
