package clock_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/stat"

	"loadgen/engine/clock"
)

// The draws are part of every committed result: another generator would move
// all of them. The two values come from a separate implementation of FNV-1a and
// SplitMix64 with integers of any size.
func TestTheDrawsOfAKnownSeed(t *testing.T) {
	for _, draw := range []clock.Draw{clock.NewStream(1, "keys").Draw(0), clock.NewStream(1, "keys").Try(0, 0)} {
		got := fmt.Sprintf("%016x %016x", draw.Uint64(), draw.Uint64())
		assert.Equal(t, "ccc3bfdbdb303a86 8d646b8fdfdb9ffa", got, `NewStream(1, "keys") draws`)
	}
	first, second := clock.NewStream(7, "keys").Try(42, 3), clock.NewStream(7, "keys").Try(42, 3)
	for i := range 1000 {
		require.Equalf(t, second.Uint64(), first.Uint64(), "draw %d of one number, and again", i)
	}
}

// Whatever differs in the inputs, the first draws differ in about half of their
// bits: no input shifts or repeats the draws of another.
func TestDrawsOfDifferentInputsAreIndependent(t *testing.T) {
	const pairs = 2000
	of := clock.NewStream
	second := func(d clock.Draw) clock.Draw {
		d.Uint64()
		return d
	}
	for name, pair := range map[string]func(i uint64) (a, b clock.Draw){
		"two stream names": func(i uint64) (a, b clock.Draw) { return of(1, "keys").Draw(i), of(1, "fault").Draw(i) },
		"names that differ in the last letter": func(i uint64) (a, b clock.Draw) {
			return of(1, "keys/1").Draw(i), of(1, "keys/2").Draw(i)
		},
		"adjacent seeds":    func(i uint64) (a, b clock.Draw) { return of(i, "keys").Draw(5), of(i+1, "keys").Draw(5) },
		"adjacent numbers":  func(i uint64) (a, b clock.Draw) { return of(1, "keys").Draw(i), of(1, "keys").Draw(i + 1) },
		"adjacent attempts": func(i uint64) (a, b clock.Draw) { return of(1, "keys").Try(i, 0), of(1, "keys").Try(i, 1) },
		"number and attempt exchanged": func(i uint64) (a, b clock.Draw) {
			return of(1, "keys").Try(i, 1_000_000), of(1, "keys").Try(1_000_000, int(i))
		},
		"the next draw of the same number": func(i uint64) (a, b clock.Draw) {
			return of(1, "keys").Draw(i), second(of(1, "keys").Draw(i))
		},
	} {
		differing := 0
		for i := range uint64(pairs) {
			a, b := pair(i)
			x, y := a.Uint64(), b.Uint64()
			require.Truef(t, x != y, "%s: pair %d draws %d twice", name, i, x)
			for z := x ^ y; z > 0; z &= z - 1 {
				differing++
			}
		}
		// 64 fair bits a pair: standard deviation 4 a pair.
		assert.LessOrEqualf(t, math.Abs(float64(differing)-32*pairs), 4.5*4*math.Sqrt(pairs),
			"%s: %d of %d bits differ", name, differing, 64*pairs)
	}
}

func TestUint64IsFairInEveryBit(t *testing.T) {
	const draws = 20_000
	var ones [64]int
	for number := range uint64(draws) {
		draw := clock.NewStream(3, "bits").Draw(number)
		x := draw.Uint64()
		for bit := range ones {
			ones[bit] += int(x >> bit & 1)
		}
	}
	for bit, n := range ones {
		assert.LessOrEqualf(t, math.Abs(float64(n)-draws/2), 4.5*math.Sqrt(draws)/2,
			"bit %d is set in %d of %d first draws", bit, n, draws)
	}
}

func TestIntNIsUniform(t *testing.T) {
	const perCell = 1000
	for _, n := range []int{2, 3, 10, 97} {
		within, across, expected := make([]float64, n), make([]float64, n), slices.Repeat([]float64{perCell}, n)
		stream := clock.NewStream(11, "uniform")
		draw := stream.Draw(0)
		for number := range uint64(n * perCell) {
			within[draw.IntN(n)]++
			first := stream.Draw(number)
			across[first.IntN(n)]++
		}
		// A chi-squared variable of n − 1 degrees has mean n − 1 and standard
		// deviation √(2(n−1)); its tail is longer than the normal's.
		bound := float64(n-1) + 6*math.Sqrt(2*float64(n-1))
		assert.LessOrEqualf(t, stat.ChiSquare(within, expected), bound, "IntN(%d) within one number: chi-squared", n)
		assert.LessOrEqualf(t, stat.ChiSquare(across, expected), bound, "IntN(%d) across numbers: chi-squared", n)
	}
}

func TestIntNAtTheEnds(t *testing.T) {
	draw := clock.NewStream(1, "ends").Draw(0)
	for range 1000 {
		require.Equal(t, 0, draw.IntN(1), "IntN(1)")
		require.GreaterOrEqual(t, draw.IntN(math.MaxInt), 0, "IntN(MaxInt)")
	}
	for _, n := range []int{0, -1, math.MinInt} {
		func() {
			defer func() {
				got := fmt.Sprint(recover())
				assert.Truef(t, strings.HasPrefix(got, "clock: "), "IntN(%d) panicked with %q", n, got)
			}()
			draw.IntN(n)
		}()
	}
}

func TestFloat64HasTheMomentsOfTheUniform(t *testing.T) {
	const draws = 200_000
	draw, stream := clock.NewStream(5, "moments").Draw(9), clock.NewStream(5, "moments")
	for name, next := range map[string]func(i uint64) float64{
		"within one number": func(uint64) float64 { return draw.Float64() },
		"across numbers": func(i uint64) float64 {
			first := stream.Draw(i)
			return first.Float64()
		},
	} {
		var sum, squares, products, last float64
		for i := range uint64(draws) {
			x := next(i)
			if x < 0 || x >= 1 {
				t.Fatalf("%s: Float64() = %v; want [0, 1)", name, x)
			}
			x -= 0.5
			sum += x
			squares += x * x
			products += x * last
			last = x
		}
		// Standard deviations of one term: x √(1/12), x² √(1/180), x·y 1/12.
		n := math.Sqrt(draws)
		assert.InDeltaf(t, 0, sum/draws, 4.5*math.Sqrt(1.0/12)/n, "%s: mean less 1/2", name)
		assert.InDeltaf(t, 1.0/12, squares/draws, 4.5*math.Sqrt(1.0/180)/n, "%s: variance", name)
		assert.InDeltaf(t, 0, products/draws, 4.5/12/n, "%s: covariance of neighbours", name)
	}
}

// A draw is a source for the distributions of math/rand/v2.
func TestADrawIsARandSource(t *testing.T) {
	draw := clock.NewStream(1, "normal").Draw(0)
	rng := rand.New(&draw)
	const draws = 50_000
	var sum float64
	for range draws {
		sum += rng.NormFloat64()
	}
	assert.InDeltaf(t, 0, sum/draws, 4.5/math.Sqrt(draws), "mean of normal draws")
}
