package clock_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"loadgen/engine/clock"
)

func TestTheSameInputsGiveTheSameDraws(t *testing.T) {
	first, second := clock.NewStream(7, "keys").Try(42, 3), clock.NewStream(7, "keys").Try(42, 3)
	for i := range 1000 {
		if a, b := first.Uint64(), second.Uint64(); a != b {
			t.Fatalf("draw %d of one number = %d and %d; want the same", i, a, b)
		}
	}
	at, try := clock.NewStream(7, "keys").At(42), clock.NewStream(7, "keys").Try(42, 0)
	if a, b := at.Uint64(), try.Uint64(); a != b {
		t.Errorf("At(42) draws %d, Try(42, 0) %d; want the same", a, b)
	}
}

// The draws are part of every committed result: another generator would move
// all of them. The two values come from a separate implementation of FNV-1a and
// SplitMix64 with integers of any size.
func TestTheDrawsOfAKnownSeed(t *testing.T) {
	draw := clock.NewStream(1, "keys").At(0)
	got := fmt.Sprintf("%016x %016x", draw.Uint64(), draw.Uint64())
	if want := "ccc3bfdbdb303a86 8d646b8fdfdb9ffa"; got != want {
		t.Errorf(`NewStream(1, "keys").At(0) draws %s; want %s`, got, want)
	}
}

// Whatever differs in the inputs, the first draws differ in about half of their
// bits: no input shifts or repeats the draws of another.
func TestDrawsOfDifferentInputsAreIndependent(t *testing.T) {
	const pairs = 2000
	for _, row := range []struct {
		name string
		pair func(i uint64) (a, b clock.Draw)
	}{
		{"two stream names", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(1, "keys").At(i), clock.NewStream(1, "fault").At(i)
		}},
		{"names that differ in the last letter", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(1, "keys/1").At(i), clock.NewStream(1, "keys/2").At(i)
		}},
		{"adjacent seeds", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(i, "keys").At(5), clock.NewStream(i+1, "keys").At(5)
		}},
		{"adjacent numbers", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(1, "keys").At(i), clock.NewStream(1, "keys").At(i + 1)
		}},
		{"adjacent attempts", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(1, "keys").Try(i, 0), clock.NewStream(1, "keys").Try(i, 1)
		}},
		{"number and attempt exchanged", func(i uint64) (clock.Draw, clock.Draw) {
			return clock.NewStream(1, "keys").Try(i, 1_000_000), clock.NewStream(1, "keys").Try(1_000_000, int(i))
		}},
		{"the next draw of the same number", func(i uint64) (clock.Draw, clock.Draw) {
			a := clock.NewStream(1, "keys").At(i)
			b := a
			b.Uint64()
			return a, b
		}},
	} {
		differing := 0
		for i := range uint64(pairs) {
			a, b := row.pair(i)
			x, y := a.Uint64(), b.Uint64()
			if x == y {
				t.Fatalf("%s: pair %d draws %d twice", row.name, i, x)
			}
			for z := x ^ y; z > 0; z &= z - 1 {
				differing++
			}
		}
		// 64 fair bits a pair: standard deviation 4 a pair.
		if gap := math.Abs(float64(differing) - 32*pairs); gap > 4.5*4*math.Sqrt(pairs) {
			t.Errorf("%s: %d of %d bits differ; want half", row.name, differing, 64*pairs)
		}
	}
}

func TestUint64IsFairInEveryBit(t *testing.T) {
	const draws = 20_000
	var ones [64]int
	for number := range uint64(draws) {
		draw := clock.NewStream(3, "bits").At(number)
		x := draw.Uint64()
		for bit := range ones {
			ones[bit] += int(x >> bit & 1)
		}
	}
	for bit, n := range ones {
		if gap := math.Abs(float64(n) - draws/2); gap > 4.5*math.Sqrt(draws)/2 {
			t.Errorf("bit %d is set in %d of %d first draws; want half", bit, n, draws)
		}
	}
}

// chiSquared returns how far counts are from all being the same.
func chiSquared(counts []int) float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	expected := float64(total) / float64(len(counts))
	var sum float64
	for _, n := range counts {
		sum += (float64(n) - expected) * (float64(n) - expected) / expected
	}
	return sum
}

func TestIntNIsUniform(t *testing.T) {
	const perCell = 1000
	for _, n := range []int{2, 3, 10, 97} {
		within, across := make([]int, n), make([]int, n)
		stream := clock.NewStream(11, "uniform")
		draw := stream.At(0)
		for number := range uint64(n * perCell) {
			within[draw.IntN(n)]++
			first := stream.At(number)
			across[first.IntN(n)]++
		}
		// A chi-squared variable of n − 1 degrees has mean n − 1 and standard
		// deviation √(2(n−1)); its tail is longer than the normal's.
		bound := float64(n-1) + 6*math.Sqrt(2*float64(n-1))
		if got := chiSquared(within); got > bound {
			t.Errorf("IntN(%d) within one number: chi-squared = %.1f; want at most %.1f", n, got, bound)
		}
		if got := chiSquared(across); got > bound {
			t.Errorf("IntN(%d) across numbers: chi-squared = %.1f; want at most %.1f", n, got, bound)
		}
	}
}

func TestIntNAtTheEnds(t *testing.T) {
	draw := clock.NewStream(1, "ends").At(0)
	for range 1000 {
		if got := draw.IntN(1); got != 0 {
			t.Fatalf("IntN(1) = %d; want 0", got)
		}
		if got := draw.IntN(math.MaxInt); got < 0 {
			t.Fatalf("IntN(MaxInt) = %d; want 0 or more", got)
		}
	}
	for _, n := range []int{0, -1, math.MinInt} {
		func() {
			defer func() {
				if got := fmt.Sprint(recover()); !strings.HasPrefix(got, "clock: ") {
					t.Errorf("IntN(%d) panicked with %q; want a text that begins with the package", n, got)
				}
			}()
			draw.IntN(n)
		}()
	}
}

func TestFloat64HasTheMomentsOfTheUniform(t *testing.T) {
	const draws = 200_000
	for _, row := range []struct {
		name string
		next func() func(i uint64) float64
	}{
		{"within one number", func() func(uint64) float64 {
			draw := clock.NewStream(5, "moments").At(9)
			return func(uint64) float64 { return draw.Float64() }
		}},
		{"across numbers", func() func(uint64) float64 {
			stream := clock.NewStream(5, "moments")
			return func(i uint64) float64 {
				draw := stream.At(i)
				return draw.Float64()
			}
		}},
	} {
		next := row.next()
		var sum, squares, products, last float64
		for i := range uint64(draws) {
			x := next(i)
			if x < 0 || x >= 1 {
				t.Fatalf("%s: Float64() = %v; want [0, 1)", row.name, x)
			}
			x -= 0.5
			sum += x
			squares += x * x
			products += x * last
			last = x
		}
		// Standard deviations of one term: x √(1/12), x² √(1/180), x·y 1/12.
		n := math.Sqrt(draws)
		if got := sum / draws; math.Abs(got) > 4.5*math.Sqrt(1.0/12)/n {
			t.Errorf("%s: mean = %v; want 1/2", row.name, got+0.5)
		}
		if got := squares / draws; math.Abs(got-1.0/12) > 4.5*math.Sqrt(1.0/180)/n {
			t.Errorf("%s: variance = %v; want 1/12", row.name, got)
		}
		if got := products / draws; math.Abs(got) > 4.5/12/n {
			t.Errorf("%s: covariance of neighbours = %v; want 0", row.name, got)
		}
	}
}

// A draw is a source for the distributions of math/rand/v2.
func TestADrawIsARandSource(t *testing.T) {
	draw := clock.NewStream(1, "normal").At(0)
	rng := rand.New(&draw)
	const draws = 50_000
	var sum float64
	for range draws {
		sum += rng.NormFloat64()
	}
	if got := sum / draws; math.Abs(got) > 4.5/math.Sqrt(draws) {
		t.Errorf("mean of %d normal draws = %v; want 0", draws, got)
	}
}

func BenchmarkStreamDraw(b *testing.B) {
	stream := clock.NewStream(1, "bench")
	b.ReportAllocs()
	var sum uint64
	number := uint64(0)
	for b.Loop() {
		number++
		draw := stream.Try(number, 1)
		sum += draw.Uint64()
	}
	if sum == 0 {
		b.Fatal("nothing was drawn")
	}
}
