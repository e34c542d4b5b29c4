package backoff_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/backoff"
)

var (
	full         = backoff.FullJitter(100*ms, 20*s)
	equal        = backoff.EqualJitter(s, 64*s)
	azcore       = backoff.Proportional{Base: 800 * ms, Cap: 60 * s, Low: 800, High: 1300, LessOne: true}
	azureCore    = backoff.Proportional{Base: 800 * ms, Cap: 60 * s, Low: 800, High: 1200}
	decorrelated = backoff.Decorrelated{Base: 100 * ms, Cap: 20 * s}
	ladder       = backoff.Ladder{2 * s, 4 * s, 10 * s, 30 * s}
)

func TestDelaysAgainstHandComputedWaits(t *testing.T) {
	const far = math.MaxInt64
	for _, row := range []struct {
		name   string
		delay  backoff.Delay
		x      int
		chance float64
		want   time.Duration
	}{
		// Exponential rows by hand: zmin + z·(0.8 + 0.4·chance)·(2^x − 1), capped by zmax.
		{"retry zero has no power term: exactly zmin, whatever the draw", short, 0, 0.9, 50 * ms},
		{"a negative retry is taken for retry zero", short, -7, 0.9, 50 * ms},
		{"zmin above zmax never breaks the cap", backoff.Exponential{Base: s, Min: 5 * s, Max: 2 * s}, 1, 0.5, 2 * s},
		{"a negative chance counts as 0", short, 1, -3, 130 * ms},
		{"a chance above 1 counts as 1", short, 1, 3, 170 * ms},
		{"no chance at all counts as 0", short, 1, math.NaN(), 130 * ms},
		{"a negative base adds nothing", backoff.Exponential{Base: -s, Min: s, Max: 2 * s}, 3, 0.5, s},
		{"negative bounds are zero", backoff.Exponential{Base: s, Min: -s, Max: -s}, 3, 0.5, 0},
		{"no overflow at retry 1,000 with the least base", backoff.Exponential{Base: 1, Max: math.MaxInt64}, 1000, 0, math.MaxInt64},
		{"no overflow at the last retry of all", short, math.MaxInt, 0, 2 * s},
		{"linear, first", backoff.Linear{Step: 2 * s, Max: 5 * s}, 1, 0.9, 2 * s},
		{"linear, third: at the cap", backoff.Linear{Step: 2 * s, Max: 5 * s}, 3, 0, 5 * s},
		{"linear, no overflow", backoff.Linear{Step: 2 * s, Max: 5 * s}, math.MaxInt, 0, 5 * s},
		{"linear, retry zero", backoff.Linear{Step: 2 * s, Max: 5 * s}, 0, 0, 0},
		{"ladder, beyond: the last again", ladder, 1000, 0, 30 * s},
		{"ladder without rungs", backoff.Ladder{}, 3, 0, 0},
		{"full jitter, first, lowest", full, 1, 0, 0},
		{"full jitter, first, half", full, 1, 0.5, 50 * ms},
		{"full jitter, fourth: 100 ms · 2³", full, 4, 0.5, 400 * ms},
		{"full jitter, at the cap still spread", full, 9, 0.25, 5 * s},
		{"full jitter, cap of all time", backoff.FullJitter(1, far), 1000, 1, far},
		{"equal jitter, third, half", equal, 3, 0.5, 3 * s},
		{"equal jitter, at the cap still spread", equal, 50, 0.5, 48 * s},
		{"azcore, first, lowest: 0.8 · 0.8", azcore, 1, 0, 640 * ms},
		{"azcore, first, highest: 0.8 · 1.3", azcore, 1, 1, 1040 * ms},
		{"azcore, no overflow", azcore, 1000, 0.5, 60 * s},
		{"Azure.Core, third, highest: 4 · 0.96", azureCore, 3, 1, 3840 * ms},
		{"multiplied, the power rounded to the nanosecond", backoff.Multiplied{Base: 100 * ms, Max: s, Multiplier: 1.1, Low: 1000, High: 1000}, 3, .5, 121 * ms},
		{"multiplied, half a nanosecond", backoff.Multiplied{Base: 3, Max: s, Multiplier: 1.5, Low: 1000, High: 1000}, 2, 0, 5},
		{"multiplied, jitter above the maximum", backoff.Multiplied{Base: s, Max: s, Multiplier: 2, Low: 500, High: 1500}, 1000, 1, 1500 * ms},
		{"multiplied, jitter of all", backoff.Multiplied{Base: s, Max: s, Multiplier: 1, Low: 0, High: 2000}, 1, 0, 0},
		{"multiplied, no overflow", backoff.Multiplied{Base: 1, Max: 24 * time.Hour, Multiplier: 100, Low: 1000, High: 1000}, 1000, .5, 24 * time.Hour},
		{"multiplied, retry zero", backoff.Multiplied{Base: 1, Max: s, Multiplier: 100, Low: 1000, High: 1000}, 0, .5, 0},
		{"decorrelated, first, lowest", decorrelated, 1, 0, 100 * ms},
		{"decorrelated, first, highest: three times the base", decorrelated, 1, 1, 300 * ms},
		{"decorrelated, second, highest", decorrelated, 2, 1, 900 * ms},
		{"decorrelated, never above the cap", decorrelated, 1000, 1, 20 * s},
		{"decorrelated, no overflow", backoff.Decorrelated{Base: 1, Cap: far}, 1000, 1, far},
		{"at the end of all numbers", backoff.Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s, FromZero: true}, math.MinInt, 0, 3 * s},
	} {
		assert.Equalf(t, row.want, row.delay.Wait(row.x, row.chance),
			"%s: %+v.Wait(%d, %v)", row.name, row.delay, row.x, row.chance)
	}
}

// Means in closed form against a million draws, and bounds that no draw leaves and that
// draws come near: for the chained one a draw goes through all the retries before.
func TestBoundsAgainstDraws(t *testing.T) {
	for _, row := range []struct {
		name  string
		delay backoff.Delay
		x     int
	}{
		{"exponential below the cap", documented, 1}, {"exponential, cut by the cap", documented, 2}, {"exponential, a late retry", short, 4},
		{"full jitter below the cap", full, 3}, {"full jitter at the cap", full, 12},
		{"equal jitter below the cap", equal, 2}, {"equal jitter at the cap", equal, 20},
		{"azcore, first", azcore, 1}, {"azcore, cut by the cap", backoff.Proportional{Base: s, Cap: 7 * s, Low: 800, High: 1300, LessOne: true}, 3},
		{"Azure.Core, at the cap", azureCore, 20},
		{"multiplied, at the cap", backoff.Multiplied{Base: s, Max: 7 * s, Multiplier: 1.6, Low: 800, High: 1200}, 9}, {"decorrelated, first", decorrelated, 1},
		{"decorrelated, below the cap", decorrelated, 4}, {"decorrelated, cut by the cap", decorrelated, 6},
		{"decorrelated, settled", decorrelated, 12},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			checkDraws(t, row.delay, row.x)
		})
	}
}

func checkDraws(t *testing.T, delay backoff.Delay, x int) {
	const draws = 1_000_000
	p := backoff.Policy{Retries: 50, Delay: delay}
	least, mean, greatest := p.Bounds(x)
	first := x
	if _, chained := delay.(backoff.Chained); chained {
		first = 1
	}
	rng := rand.New(rand.NewPCG(7, uint64(x)))
	lowest, highest, sum, squares := time.Duration(math.MaxInt64), time.Duration(0), 0.0, 0.0
	for range draws {
		var wait time.Duration
		for y := first; y <= x; y++ {
			wait, _ = p.Next(y, wait, rng.Float64())
		}
		lowest, highest = min(lowest, wait), max(highest, wait)
		sum += wait.Seconds()
		squares += wait.Seconds() * wait.Seconds()
	}
	near := greatest - least
	if _, exponential := delay.(backoff.Exponential); exponential {
		near /= 100
	}
	assert.Truef(t, lowest >= least && highest <= greatest && lowest <= least+near && highest >= greatest-near,
		"draws from %v to %v; want them within %v and %v, and near both", lowest, highest, least, greatest)
	average := sum / draws
	doubt := 5*math.Sqrt(max(0, squares/draws-average*average)/draws) + 1e-4*mean.Seconds()
	assert.Truef(t, math.Abs(average-mean.Seconds()) <= doubt,
		"the mean of %d draws is %.6f s; Bounds says %v, within %.6f s", draws, average, mean, doubt)
}

// odd is a delay that knows nothing of its mean: the quadrature has to find it.
type odd struct{}

func (odd) Wait(_ int, chance float64) time.Duration {
	return time.Duration(chance * chance * float64(3*s))
}

func TestExpectedByQuadrature(t *testing.T) {
	p := backoff.Policy{Retries: 2, Delay: odd{}}
	_, got, _ := p.Bounds(1)
	assert.Truef(t, math.Abs(got.Seconds()-1) <= 1e-5, "the mean wait of 3·chance² s is %v; want 1 s", got)
	for _, x := range []int{-1, 0, 3} {
		_, _, greatest := p.Bounds(x)
		assert.Zerof(t, greatest, "the greatest wait %d of a policy of two retries", x)
	}
}
