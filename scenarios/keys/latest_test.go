package keys_test

import (
	"strconv"
	"testing"

	"loadgen/scenarios/keys"
)

// number returns the value of an entity as an integer.
func number(t *testing.T, g *keys.Generator, n uint64) int64 {
	t.Helper()
	value, err := strconv.ParseInt(g.PartitionKey(n), 10, 64)
	if err != nil {
		t.Fatalf("PartitionKey(%d) = %q; want an integer", n, g.PartitionKey(n))
	}
	return value
}

// TestLatestReadsNothingThatIsNotThere: what an entity refers to came into being with
// it or before it.
func TestLatestReadsNothingThatIsNotThere(t *testing.T) {
	for _, tt := range []keys.Latest{
		{Window: 1, Every: 1}, {Window: 100, Exponent: 1, Every: 1}, {Window: 100, Exponent: 1, Every: 1, Start: 1},
		{Window: 1_000_000_000, Every: 1}, {Window: 1_000_000_000, Exponent: 5, Every: 3, Start: -7}, {Window: 50, Exponent: 0.5, Every: 1000},
	} {
		g := single(t, 2, tt)
		for n := range uint64(3000) {
			newest := tt.Start + int64(n)/tt.Every
			oldest := max(tt.Start, newest-tt.Window+1)
			if got := number(t, g, n); got > newest || got < oldest {
				t.Fatalf("%+v: entity %d refers to %d; want %d to %d, which there are by then", tt, n, got, oldest, newest)
			}
		}
		// So it goes on far beyond what can be loaded.
		const far = 1 << 61
		if got, newest := number(t, g, far), tt.Start+far/tt.Every; got > newest || got <= newest-tt.Window {
			t.Errorf("%+v: entity 2⁶¹ refers to %d; want one of the latest %d up to %d", tt, got, tt.Window, newest)
		}
	}
}

// TestLatestFollowsTheLawOfItsWindow looks at ages once the window is full, and while
// there are only five numbers.
func TestLatestFollowsTheLawOfItsWindow(t *testing.T) {
	const window, draws = 200, 40_000
	for _, exponent := range []float64{0, 0.8, 1, 1.5} {
		ages := func(exponent float64) []int64 {
			g := single(t, 12, keys.Latest{Window: window, Exponent: exponent, Every: 2, Start: 9})
			observed := make([]int64, window)
			for n := uint64(2 * window); n < 2*window+draws; n++ {
				observed[9+int64(n/2)-number(t, g, n)]++
			}
			return observed
		}
		shares := powers(window, exponent, window, from(0))
		checkFit(t, ages(exponent), shares, "ages by exponent %v", exponent)
		checkMisfit(t, ages(exponent+0.1), shares, "ages by exponent %v", exponent+0.1)
	}
	const every = 1_000_000
	g := single(t, 12, keys.Latest{Window: window, Exponent: 1, Every: every})
	observed := make([]int64, 5)
	for n := uint64(4 * every); n < 4*every+draws; n++ {
		observed[4-number(t, g, n)]++
	}
	checkFit(t, observed, powers(5, 1, 5, from(0)), "ages among five numbers")
	checkMisfit(t, observed, powers(5, 0.8, 5, from(0)), "ages by another exponent")
}
