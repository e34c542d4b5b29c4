package keys_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

// hashes are so many different numbers, spread evenly: a bijection of 0, 1, 2 ….
func hashes(n int) []uint64 {
	list := make([]uint64, n)
	for i := range list {
		z := uint64(i+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		list[i] = z ^ z>>31
	}
	return list
}

// TestDistinct allows four standard errors, which one of 16,000 sound sketches
// would miss.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100, 5_000, 30_000, 50_000, 300_000, 2_000_000} {
		d := new(keys.DistinctKeys)
		list := hashes(n)
		for _, h := range list {
			d.Add(h)
		}
		for _, h := range list[:n/2] {
			d.Add(h)
		}
		got, want := d.Estimate(), float64(n)
		assert.LessOrEqualf(t, math.Abs(got-want), 4*keys.DistinctError*want+.01,
			"Estimate() of %d different hashes", n)
	}
	// The first two share a register.
	d := new(keys.DistinctKeys)
	for _, h := range []uint64{0, math.MaxUint64, 1, 0} {
		d.Add(h)
	}
	if got := d.Estimate(); math.Abs(got-2) > .1 {
		t.Errorf("Estimate() of 0, 1 and the greatest = %v; want 2", got)
	}
}

// TestMomentIsUnbiased compares the mean and the spread of many estimates, of large weights, with theory.
func TestMomentIsUnbiasedWithTheErrorItStates(t *testing.T) {
	const trials, places = 200, 2_000
	all := hashes(trials * places)
	var off []float64
	for trial := range trials {
		m := new(keys.Moment)
		for _, h := range all[trial*places : (trial+1)*places] {
			m.Add(h, 1<<40)
		}
		off = append(off, m.Estimate()/places/(1<<80)-1)
	}
	mean, squares := 0.0, 0.0
	for _, x := range off {
		mean += x / trials
	}
	for _, x := range off {
		squares += (x - mean) * (x - mean) / (trials - 1)
	}
	stated := keys.MomentError
	assert.LessOrEqualf(t, math.Abs(mean), 4*stated/math.Sqrt(trials),
		"the mean of %d estimates is off by %v", trials, mean)
	// A chi-square of 199 degrees of freedom: 0.1% lie beyond 1.34 times, 0.1%
	// below 0.72 times its mean.
	if ratio := squares / stated / stated; ratio > 1.34 || ratio < .72 {
		t.Errorf("the variance of %d estimates is %.2f times the stated one; want about 1 (%v)", trials, ratio, slices.Max(off))
	}
}

// TestRowsAreDealt counts the rows of each partition in the first lots: exactly what
// was asked for, by another hand than the one that deals.
func TestRowsAreDealt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		values keys.Partitions
		// rows is how many partitions have so many.
		rows map[int64]int
	}{
		{"all alike", keys.Partitions{Of: 100, Rows: 30}, map[int64]int{30: 100}},
		{"one row each", keys.Partitions{Of: 1000, Rows: 1}, map[int64]int{1: 1000}},
		{"one partition", keys.Partitions{Of: 1, Rows: 7}, map[int64]int{7: 1}},
		{"two rows in all", keys.Partitions{Of: 2, Rows: 1}, map[int64]int{1: 2}},
		{"three sizes", keys.Partitions{Of: 100, Rows: 10, Sizes: unequal()}, map[int64]int{10: 70, 25: 20, 35: 10}},
		{"sizes that are rounded", keys.Partitions{Of: 15, Rows: 3, Sizes: unequal()}, map[int64]int{3: 11, 8: 3, 11: 1}},
		{"a size below one row", keys.Partitions{Of: 4, Rows: 3, Sizes: []keys.Size{{Share: 0.5, Weight: 0.001}, {Share: 0.5, Weight: 2}}}, map[int64]int{1: 2, 6: 2}},
	} {
		g := single(t, 6, tt.values)
		all := int64(0)
		for rows, partitions := range tt.rows {
			all += rows * int64(partitions)
		}
		for lot := range int64(3) {
			held := map[string]int64{}
			for n := lot * all; n < (lot+1)*all; n++ {
				held[g.PartitionKey(uint64(n))]++
			}
			got := map[int64]int{}
			for _, rows := range held {
				got[rows]++
			}
			for rows, partitions := range tt.rows {
				assert.Equalf(t, partitions, got[rows], "%s: partitions of lot %d that have %d rows", tt.name, lot, rows)
			}
		}
	}
}

// Rows come in no order: of any stretch of a lot each partition has its share, and
// the next lot comes in another order.
func TestRowsAreDealtInNoOrder(t *testing.T) {
	const of, rows = 50, 2000
	g := single(t, 6, keys.Partitions{Of: of, Rows: rows})
	const stretch = of * rows / 10
	same, again := 0, 0
	observed := make([]int64, of)
	for n := range uint64(stretch) {
		key := g.PartitionKey(n)
		partition, _ := strconv.Atoi(key)
		observed[partition]++
		if g.PartitionKey(n+1) == key {
			same++
		}
		if g.PartitionKey(n+of*rows) == key {
			again++
		}
	}
	shares := powers(of, 0, of, from(0))
	checkFit(t, observed, shares, "the first tenth of a lot")
	// One in fifty by chance: mean and four and a half deviations.
	mean := float64(stretch) / of
	most := mean + 4.5*math.Sqrt(mean)
	assert.Truef(t, float64(same) <= most && float64(again) <= most,
		"of %d rows %d lie in the partition of the next, %d in that of the next lot; want about %.0f", stretch, same, again, mean)
}

// Which partitions are the large ones depends on the seed: they stand in no row.
func TestLargePartitionsLieAnywhere(t *testing.T) {
	const of, rows, all = 100, 10, 1550
	var before []int
	for seed := range uint64(3) {
		g := single(t, seed, keys.Partitions{Of: of, Rows: rows, Sizes: unequal()})
		held := make([]int, of)
		for n := range uint64(all) {
			held[number(t, g, n)]++
		}
		var large []int
		for partition, n := range held {
			if n > rows {
				large = append(large, partition)
			}
		}
		assert.Truef(t, len(large) == 30 && large[29]-large[0] >= 60 && !slices.Equal(large, before),
			"seed %d: the large partitions are %v; want 30 all over the place, and others than %v", seed, large, before)
		before = large
	}
}

// TestDrawnPartitionsFollowTheirWeights holds the sizes of partitions that are drawn
// against their weights: which partition is a large one is not known, how many are is.
func TestDrawnPartitionsFollowTheirWeights(t *testing.T) {
	const of, draws = 100, 200_000
	observed := counts(t, keys.Partitions{Of: of, Sizes: unequal()}, draws, of, from(0))
	// The weights stand a hundred deviations apart; a partition belongs to the nearest.
	weights, shares, sizes := []float64{1, 2.5, 3.5}, make([]float64, of), map[float64]int{}
	const sum = 70 + 20*2.5 + 10*3.5
	for i, n := range observed {
		nearest := weights[0]
		for _, weight := range weights {
			if math.Abs(float64(n)*sum/draws-weight) < math.Abs(float64(n)*sum/draws-nearest) {
				nearest = weight
			}
		}
		sizes[nearest]++
		shares[i] = nearest / sum
	}
	require.Truef(t, sizes[1] == 70 && sizes[2.5] == 20 && sizes[3.5] == 10,
		"the partitions have the weights %v; want 70 of 1, 20 of 2.5 and 10 of 3.5", sizes)
	checkFit(t, observed, shares, "drawn partitions")
	wrong := []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.35}, {Share: 0.1, Weight: 3.5}}
	checkMisfit(t, counts(t, keys.Partitions{Of: of, Sizes: wrong}, draws, of, from(0)), shares, "a weight of 2.35 for 2.5")
}

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		text string
		want keys.Size
		ok   bool
	}{
		{"70% x1", keys.Size{Share: 0.7, Weight: 1}, true},
		{"20%x2.5", keys.Size{Share: 0.2, Weight: 2.5}, true},
		{"0.000001% x 1000000", keys.Size{Share: 1e-8, Weight: 1e6}, true},
		{"100% x0.000001", keys.Size{Share: 1, Weight: 1e-6}, true},
		{"", keys.Size{}, false},
		{"0% x1", keys.Size{}, false},
		{"101% x1", keys.Size{}, false},
		{"10% x0", keys.Size{}, false},
		{"10% x1000001", keys.Size{}, false},
		{"10 x1", keys.Size{}, false},
		{"10% 1", keys.Size{}, false},
		{"10% x-1", keys.Size{}, false},
		{"10% x1e3", keys.Size{}, false},
		{"10% x1 ", keys.Size{}, false},
	} {
		got, ok := keys.ParseSize(tt.text)
		assert.Falsef(t, ok != tt.ok || ok && (math.Abs(got.Share-tt.want.Share) > 1e-12 || got.Weight != tt.want.Weight),
			"ParseSize(%q) = %v, %t; want %v, %t", tt.text, got, ok, tt.want, tt.ok)
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"70% x1", "20%x2.5", "0.5% x 0.1", "x", "100% x1000000", "99.999999%x0.000001", "10% x0.0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		size, sound := keys.ParseSize(text)
		if !sound {
			return
		}
		if again, sound := keys.ParseSize(size.String()); !sound || again != size {
			t.Fatalf("ParseSize(%q) = %v, and of its text %q %v, %t; want the same", text, size, size, again, sound)
		}
	})
}
