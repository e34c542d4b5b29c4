package backoff_test

import (
	"math"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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
	f.Add(int64(s), int64(s), int64(s), 1, 0.5)
	f.Add(int64(10*s), int64(0), int64(12*s), 1, 0.999)
	f.Add(int64(7), int64(3), int64(1<<53), 50, 1/3.0)
	f.Add(int64(-1), int64(-1), int64(-1), -1, -1.0)
	f.Fuzz(func(t *testing.T, base, least, most int64, x int, chance float64) {
		e := backoff.Exponential{Base: time.Duration(base), Min: time.Duration(least), Max: time.Duration(most)}
		got := e.Wait(x, chance)
		require.Truef(t, got >= 0 && got <= max(e.Max, 0), "%+v.Wait(%d, %v) = %d; want 0 to max", e, x, chance, got)
		if later := e.Wait(x+1, chance); x < 1000 && later < got {
			t.Fatalf("%+v.Wait(%d, %v) = %d after %d; want no shorter", e, x+1, chance, later, got)
		}
		low, mean, high := e.Bounds(x)
		require.Truef(t, got >= low && got <= high && mean >= low && mean <= high,
			"%+v: wait %d, bounds %d, %d, %d; want them in order", e, got, low, mean, high)
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
