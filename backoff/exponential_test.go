package backoff_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"loadgen/backoff"
)

const (
	ms = time.Millisecond
	s  = time.Second
)

var (
	documented = backoff.Exponential{Base: 30 * s, Min: 3 * s, Max: 90 * s}
	short      = backoff.Exponential{Base: 100 * ms, Min: 50 * ms, Max: 2 * s}
)

func TestExponentialAgainstHandComputedWaits(t *testing.T) {
	// Each row by hand: zmin + z·(0.8 + 0.4·chance)·(2^x − 1), capped by zmax.
	for _, row := range []struct {
		name   string
		delay  backoff.Exponential
		x      int
		chance float64
		want   time.Duration
	}{
		{"documented, first retry, lowest draw: 3 + 24·1", documented, 1, 0, 27 * s},
		{"documented, first retry, a quarter: 3 + 27·1", documented, 1, 0.25, 30 * s},
		{"documented, first retry, middle draw: 3 + 30·1", documented, 1, 0.5, 33 * s},
		{"documented, first retry, three quarters: 3 + 33·1", documented, 1, 0.75, 36 * s},
		{"documented, second retry, lowest draw: 3 + 24·3", documented, 2, 0, 75 * s},
		{"documented, second retry, a quarter: 3 + 27·3", documented, 2, 0.25, 84 * s},
		{"documented, second retry, middle draw: 3 + 90 is over the cap", documented, 2, 0.5, 90 * s},
		{"documented, third retry: 3 + 24·7 is over the cap", documented, 3, 0, 90 * s},
		{"documented, fourth retry: at the cap", documented, 4, 0, 90 * s},
		{"documented, fifth retry: at the cap", documented, 5, 0.5, 90 * s},
		{"documented, sixth retry: at the cap", documented, 6, 0.75, 90 * s},
		{"short, first retry, lowest draw: 50 + 80·1", short, 1, 0, 130 * ms},
		{"short, first retry, middle draw: 50 + 100·1", short, 1, 0.5, 150 * ms},
		{"short, second retry, lowest draw: 50 + 80·3", short, 2, 0, 290 * ms},
		{"short, second retry, three quarters: 50 + 110·3", short, 2, 0.75, 380 * ms},
		{"short, third retry, lowest draw: 50 + 80·7", short, 3, 0, 610 * ms},
		{"short, third retry, a quarter: 50 + 90·7", short, 3, 0.25, 680 * ms},
		{"short, fourth retry, lowest draw: 50 + 80·15", short, 4, 0, 1250 * ms},
		{"short, fourth retry, middle draw: 50 + 100·15", short, 4, 0.5, 1550 * ms},
		{"short, fifth retry: 50 + 80·31 is over the cap", short, 5, 0, 2 * s},
		{"short, sixth retry: at the cap", short, 6, 0.5, 2 * s},
		{"retry zero has no power term: exactly zmin, whatever the draw", short, 0, 0.9, 50 * ms},
		{"a negative retry is taken for retry zero", short, -7, 0.9, 50 * ms},
		{"zmin above zmax never breaks the cap", backoff.Exponential{Base: s, Min: 5 * s, Max: 2 * s}, 1, 0.5, 2 * s},
		{"a negative chance counts as 0", short, 1, -3, 130 * ms},
		{"a chance above 1 counts as 1", short, 1, 3, 170 * ms},
		{"no chance at all counts as 0", short, 1, math.NaN(), 130 * ms},
		{"a negative base adds nothing", backoff.Exponential{Base: -s, Min: s, Max: 2 * s}, 3, 0.5, s},
		{"negative bounds are zero", backoff.Exponential{Base: s, Min: -s, Max: -s}, 3, 0.5, 0},
		{"one nanosecond at the power that just fits 63 bits", backoff.Exponential{Base: 1, Max: math.MaxInt64}, 62, 0, (1<<62-1)/5*4 + 2},
		{"the whole range of a Duration is the cap", backoff.Exponential{Base: math.MaxInt64, Max: math.MaxInt64}, 1, 0.999, math.MaxInt64},
		{"no overflow at retry 1,000", documented, 1000, 0.999, 90 * s},
		{"no overflow at retry 1,000 with the least base", backoff.Exponential{Base: 1, Max: math.MaxInt64}, 1000, 0, math.MaxInt64},
		{"no overflow at the last retry of all", short, math.MaxInt, 0, 2 * s},
	} {
		if got := row.delay.Wait(row.x, row.chance); got != row.want {
			t.Errorf("%s: %+v.Wait(%d, %v) = %v; want %v", row.name, row.delay, row.x, row.chance, got, row.want)
		}
	}
}

func TestBoundsAgainstHandComputedValues(t *testing.T) {
	for _, row := range []struct {
		name                  string
		delay                 backoff.Exponential
		x                     int
		least, mean, greatest time.Duration
	}{
		{"documented, first retry: clear of the cap", documented, 1, 27 * s, 33 * s, 39 * s},
		{"documented, second retry: the cap cuts the band; mean 90 − 15²/(2·36)", documented, 2, 75 * s, 86875 * ms, 90 * s},
		{"documented, third retry: the whole band is above the cap", documented, 3, 90 * s, 90 * s, 90 * s},
		{"documented, sixth retry: at the cap", documented, 6, 90 * s, 90 * s, 90 * s},
		{"short, first retry", short, 1, 130 * ms, 150 * ms, 170 * ms},
		{"short, second retry", short, 2, 290 * ms, 350 * ms, 410 * ms},
		{"short, third retry", short, 3, 610 * ms, 750 * ms, 890 * ms},
		{"short, fourth retry: the whole band is below the cap", short, 4, 1250 * ms, 1550 * ms, 1850 * ms},
		{"short, fifth retry: at the cap", short, 5, 2 * s, 2 * s, 2 * s},
		{"retry zero is zmin, without a band", short, 0, 50 * ms, 50 * ms, 50 * ms},
		{"retry 1,000 is the cap", short, 1000, 2 * s, 2 * s, 2 * s},
		{"zmin at zmax leaves no room", backoff.Exponential{Base: s, Min: s, Max: s}, 1, s, s, s},
		{"a band that ends exactly at the cap loses nothing", backoff.Exponential{Base: 10 * s, Max: 12 * s}, 1, 8 * s, 10 * s, 12 * s},
	} {
		least, mean, greatest := row.delay.Bounds(row.x)
		if least != row.least || mean != row.mean || greatest != row.greatest {
			t.Errorf("%s: %+v.Bounds(%d) = %v, %v, %v; want %v, %v, %v",
				row.name, row.delay, row.x, least, mean, greatest, row.least, row.mean, row.greatest)
		}
	}
}

// Many draws fill the ±20 % band to within 1 % of its width at both ends, never
// leave it, and have the mean that the closed form gives.
func TestDrawsFillTheBandAndHaveTheMeanOfTheClosedForm(t *testing.T) {
	const draws = 1_000_000
	for _, row := range []struct {
		name  string
		delay backoff.Exponential
		x     int
	}{
		{"clear of the cap", documented, 1},
		{"cut by the cap", documented, 2},
		{"a late retry, clear of the cap", short, 4},
	} {
		const seed = 20
		rng := rand.New(rand.NewPCG(seed, uint64(row.x)))
		least, mean, greatest := row.delay.Bounds(row.x)
		width := greatest - least
		lowest, highest := time.Duration(math.MaxInt64), time.Duration(0)
		var sum float64
		for range draws {
			wait := row.delay.Wait(row.x, rng.Float64())
			lowest, highest = min(lowest, wait), max(highest, wait)
			sum += float64(wait - least)
		}
		if lowest < least || highest > greatest {
			t.Errorf("%s, seed %d: waits from %v to %v; want none outside %v to %v", row.name, seed, lowest, highest, least, greatest)
		}
		if lowest > least+width/100 || highest < greatest-width/100 {
			t.Errorf("%s, seed %d: waits from %v to %v; want both within 1 %% of the ends %v and %v", row.name, seed, lowest, highest, least, greatest)
		}
		// A variable within a band of this width has at most half of it as its
		// standard deviation; 4.5 standard errors are missed once in 10⁵.
		got, bound := sum/draws, 4.5*float64(width)/2/math.Sqrt(draws)
		if math.Abs(got-float64(mean-least)) > bound {
			t.Errorf("%s, seed %d: mean of %d draws = %v; want %v ± %v", row.name, seed, draws,
				least+time.Duration(got), mean, time.Duration(bound))
		}
	}
}

// The band around the back-off alone is ±20 % of z (2^x − 1).
func TestTheBandIsTwentyPercentEitherSide(t *testing.T) {
	for x := 1; x <= 4; x++ {
		least, mean, greatest := short.Bounds(x)
		middle := 100 * ms * (1<<x - 1)
		if least-50*ms != middle*8/10 || greatest-50*ms != middle*12/10 || mean-50*ms != middle {
			t.Errorf("Bounds(%d) = %v, %v, %v; want 50ms + %v ± 20 %%", x, least, mean, greatest, middle)
		}
	}
}

// exact evaluates the formula with rational numbers of any size.
func exact(e backoff.Exponential, x int, chance float64) *big.Rat {
	power := new(big.Int).Lsh(big.NewInt(1), uint(x))
	power.Sub(power, big.NewInt(1))
	factor := new(big.Rat).SetFloat64(chance)
	factor.Mul(factor, big.NewRat(4, 10)).Add(factor, big.NewRat(8, 10))
	wait := new(big.Rat).SetInt(power)
	wait.Mul(wait, factor).Mul(wait, big.NewRat(int64(e.Base), 1)).Add(wait, big.NewRat(int64(e.Min), 1))
	if top := big.NewRat(int64(e.Max), 1); wait.Cmp(top) > 0 {
		return top
	}
	return wait
}

func FuzzExponentialAgainstRationalArithmetic(f *testing.F) {
	f.Add(int64(30*s), int64(3*s), int64(90*s), 2, 0.25)
	f.Add(int64(100*ms), int64(50*ms), int64(2*s), 4, 0.999)
	f.Add(int64(1), int64(0), int64(math.MaxInt64), 62, 0.5)
	f.Add(int64(math.MaxInt64), int64(math.MaxInt64), int64(math.MaxInt64), 1000, 0.0)
	f.Add(int64(7), int64(3), int64(1<<53), 50, 1/3.0)
	f.Add(int64(-1), int64(-1), int64(-1), -1, -1.0)
	f.Fuzz(func(t *testing.T, base, least, most int64, x int, chance float64) {
		e := backoff.Exponential{Base: time.Duration(base), Min: time.Duration(least), Max: time.Duration(most)}
		got := e.Wait(x, chance)
		if got < 0 || got > max(e.Max, 0) {
			t.Fatalf("%+v.Wait(%d, %v) = %d; want 0 to max", e, x, chance, got)
		}
		if later := e.Wait(x+1, chance); x < 1000 && later < got {
			t.Fatalf("%+v.Wait(%d, %v) = %d after %d; want no shorter", e, x+1, chance, later, got)
		}
		low, mean, high := e.Bounds(x)
		if got < low || got > high || mean < low || mean > high {
			t.Fatalf("%+v: wait %d, bounds %d, %d, %d; want them in order", e, got, low, mean, high)
		}
		if len(e.Validate()) > 0 || x < 1 || x > 1000 || !(chance >= 0 && chance < 1) {
			return
		}
		want := exact(e, x, chance)
		wanted, _ := want.Float64()
		gap, _ := want.Sub(want, big.NewRat(int64(got), 1)).Float64()
		// Three roundings down, and a float64 product of 53 bits over the band.
		if tolerance := 3 + wanted/(1<<52); math.Abs(gap) > tolerance {
			t.Fatalf("%+v.Wait(%d, %v) = %d; want %.3f ± %.3f", e, x, chance, got, wanted, tolerance)
		}
	})
}
