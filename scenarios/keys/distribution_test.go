package keys_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/clock"
	"loadgen/scenarios/keys"
)

func zipf(of int64, exponent float64) keys.Zipf {
	return keys.Zipf{Ranked: keys.Ranked{Of: of}, Exponent: exponent}
}

func hotSet(of int64, hot, share float64) keys.HotSet {
	return keys.HotSet{Ranked: keys.Ranked{Of: of}, Hot: hot, Share: share}
}

// lawful is a distribution, what theory says of it, and one that is nearly the same
// and has to be found out by the same test.
type lawful struct {
	name   string
	values keys.Distribution
	// shares computes what theory says of each cell, nil for what is not held against it.
	shares func() []float64
	cell   func(int64) int
	wrong  keys.Distribution
}

func zipfRow(name string, of int, exponent, wrong float64) lawful {
	return lawful{name, zipf(int64(of), exponent), func() []float64 { return powers(of, exponent, of, from(0)) }, from(0), zipf(int64(of), wrong)}
}

// laws are all distributions of integers.
func laws() []lawful {
	const ten = 10_000_000
	return []lawful{
		{"uniform over ages", keys.Uniform{Low: 18, High: 79}, func() []float64 { return powers(62, 0, 62, from(0)) }, from(18),
			keys.Uniform{Low: 18, High: 78}},
		{"uniform around zero", keys.Uniform{Low: -3, High: 3}, func() []float64 { return powers(7, 0, 7, from(0)) }, from(-3),
			keys.Uniform{Low: -3, High: 2}},
		zipfRow("zipf of exponent 0 is even", 100, 0, 0.04),
		zipfRow("zipf below 1", 1000, 0.5, 0.55),
		zipfRow("zipf just below 1", 1000, 0.99, 1.03),
		zipfRow("zipf of exponent 1", 1000, 1, 1.02),
		zipfRow("zipf as near to 1 as decimals go", 1000, 1.000000001, 1.02),
		zipfRow("zipf above 1", 1000, 1.1, 1.15),
		zipfRow("zipf of exponent 2", 1000, 2, 2.04),
		zipfRow("zipf as steep as it gets", 50, 5, 4.8),
		zipfRow("zipf of two values", 2, 1, 1.05),
		zipfRow("zipf of three values", 3, 1.3, 1.35),
		{"zipf of ten million values", zipf(ten, 1), func() []float64 { return powers(ten, 1, 24, binary) }, binary, zipf(ten, 1.01)},
		{"zipf of ten million values against one of nine", zipf(ten, 0.5), func() []float64 { return powers(ten, 0.5, 24, binary) }, binary, zipf(9_000_000, 0.5)},
		{"a hot set", hotSet(100, 0.1, 0.9), func() []float64 { return parts(100, 10, 0.9) }, from(0), hotSet(100, 0.1, 0.91)},
		{"a hot set of one in three", hotSet(3, 0.34, 0.5), func() []float64 { return parts(3, 1, 0.5) }, from(0), hotSet(3, 0.34, 0.52)},
		{"a hot set against a larger one", hotSet(1000, 0.2, 0.8), func() []float64 { return parts(1000, 200, 0.8) }, from(0), hotSet(1000, 0.21, 0.8)},
		{"a bell of ages", keys.Gaussian{Mean: 38, Deviation: 9, Low: 18, High: 79}, func() []float64 { return bellShares(38, 9, 18, 79) }, from(18),
			keys.Gaussian{Mean: 38, Deviation: 9.3, Low: 18, High: 79}},
		{"a narrow bell between integers", keys.Gaussian{Mean: 0.3, Deviation: 0.7, Low: -3, High: 3}, func() []float64 { return bellShares(0.3, 0.7, -3, 3) }, from(-3),
			keys.Gaussian{Mean: 0.33, Deviation: 0.7, Low: -3, High: 3}},
		{"the far end of a bell", keys.Gaussian{Mean: 0, Deviation: 10, Low: 30, High: 60}, func() []float64 { return bellShares(0, 10, 30, 60) }, from(30),
			keys.Gaussian{Mean: 0, Deviation: 10.5, Low: 30, High: 60}},
		{"its other end", keys.Gaussian{Mean: 0, Deviation: 10, Low: -60, High: -30}, func() []float64 { return bellShares(0, 10, -60, -30) }, from(-60),
			keys.Gaussian{Mean: 1, Deviation: 10, Low: -60, High: -30}},
		{"a bell far from zero", keys.Gaussian{Mean: 1e9, Deviation: 4, Low: 999_999_990, High: 1_000_000_010},
			func() []float64 { return bellShares(1e9, 4, 999_999_990, 1_000_000_010) }, from(999_999_990),
			keys.Gaussian{Mean: 1e9, Deviation: 4.2, Low: 999_999_990, High: 1_000_000_010}},
		{"the ages behind the latest, once the window is full", keys.Latest{Window: 50, Exponent: 1, Every: 1, Start: -1 << 40},
			nil, nil, nil},
	}
}

// parts returns the shares of a hot set.
func parts(of, hot int, share float64) []float64 {
	shares := make([]float64, of)
	for i := range shares {
		if shares[i] = (1 - share) / float64(of-hot); i < hot {
			shares[i] = share / float64(hot)
		}
	}
	return shares
}

// TestDistributionsFollowTheory holds draws against what theory says of each value,
// and finds out a distribution whose exponent, share or deviation is off by a
// little.
func TestDistributionsFollowTheory(t *testing.T) {
	const draws = 100_000
	for _, tt := range laws() {
		if tt.shares == nil {
			continue
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shares := tt.shares()
			checkFit(t, counts(t, tt.values, draws, len(shares), tt.cell), shares, "%v", tt.values)
			checkMisfit(t, counts(t, tt.wrong, draws, len(shares), tt.cell), shares, "%v", tt.wrong)
		})
	}
}

// TestEveryValueCanComeUp looks for the first and the last of small distributions,
// and for values beyond the ends of large ones.
func TestEveryValueCanComeUp(t *testing.T) {
	for _, tt := range []struct {
		name      string
		values    keys.Distribution
		low, high int64
	}{
		{"zipf of one value", zipf(1, 1), 0, 0},
		{"zipf of one value, even", zipf(1, 0), 0, 0},
		{"zipf of one value, scrambled", keys.Zipf{Ranked: keys.Ranked{Of: 1, Scramble: true}, Exponent: 5}, 0, 0},
		{"zipf of two, steep", zipf(2, 5), 0, 1},
		{"zipf of a hundred, even", zipf(100, 0), 0, 99},
		{"zipf of a hundred", zipf(100, 1), 0, 99},
		{"zipf of a hundred, scrambled", keys.Zipf{Ranked: keys.Ranked{Of: 100, Scramble: true}, Exponent: 1}, 0, 99},
		{"a hot set of two", hotSet(2, 0.5, 0.99), 0, 1},
		{"a hot set all of whose entities are hot", hotSet(10, 0.2, 1), 0, 1},
		{"a bell of one value", keys.Gaussian{Mean: 7, Deviation: 3, Low: 7, High: 7}, 7, 7},
		{"a bell cut on both sides", keys.Gaussian{Mean: 0, Deviation: 5, Low: -4, High: 6}, -4, 6},
		{"a single partition", keys.Partitions{Of: 1, Rows: 3}, 0, 0},
		{"a single partition, drawn", keys.Partitions{Of: 1}, 0, 0},
		{"partitions, drawn", keys.Partitions{Of: 20, Sizes: unequal()}, 0, 19},
		{"partitions of a single row", keys.Partitions{Of: 500, Rows: 1}, 0, 499},
		{"a window of one", keys.Latest{Window: 1, Exponent: 1, Every: 20_000, Start: 5}, 5, 5},
	} {
		observed := counts(t, tt.values, 20_000, int(tt.high-tt.low+1), from(tt.low))
		if first, last := observed[0], observed[len(observed)-1]; first == 0 || last == 0 {
			t.Errorf("%s: the first value came up %d times, the last %d; want both", tt.name, first, last)
		}
	}
	for _, tt := range []struct {
		name   string
		values keys.Distribution
		most   int64
	}{
		{"a billion even values", zipf(1e9, 0), 1e9},
		{"a billion values", zipf(1e9, 1), 1e9},
		{"a billion values, scrambled", keys.Zipf{Ranked: keys.Ranked{Of: 1e9, Scramble: true}, Exponent: 1}, 1e9},
		{"a billion partitions of a million rows", keys.Partitions{Of: 1e9, Rows: 1e6}, 1e9},
		{"a hot set of a billion", hotSet(1e9, 0.000001, 0.1), 1e9},
	} {
		highest := int64(0)
		counts(t, tt.values, 20_000, 1, func(value int64) int {
			if highest = max(highest, value); value < 0 || value >= tt.most {
				t.Errorf("%s: a value is %d; want 0 to %d", tt.name, value, tt.most-1)
			}
			return 0
		})
		assert.Truef(t, highest >= tt.most/100*90, "%s: the highest of 20000 is %d; want one near %d", tt.name, highest, tt.most)
	}
}

// TestWeightsAreLookedUpExactly draws the tickets a second way and finds each one's
// value by walking over all weights.
func TestWeightsAreLookedUpExactly(t *testing.T) {
	const seed = 77
	for _, weights := range [][]int64{
		{1}, {3, 1}, slices.Repeat([]int64{1}, 16), slices.Repeat([]int64{1}, 17), slices.Repeat([]int64{1_000_000_000}, 40),
		append(slices.Repeat([]int64{1}, 99), 1_000_000_000), append([]int64{1_000_000_000}, slices.Repeat([]int64{1}, 99)...),
		many(1000).Weights,
	} {
		l, total := keys.ValueList{Weights: weights}, int64(0)
		for i, weight := range weights {
			l.Values = append(l.Values, strconv.Itoa(i))
			total += weight
		}
		g := single(t, seed, l)
		chance := clock.NewStream(seed, "attribute/x")
		for n := range uint64(3000) {
			draw := chance.Draw(n)
			ticket, want := int64(draw.IntN(int(total))), 0
			for ; ticket >= weights[want]; want++ {
				ticket -= weights[want]
			}
			require.Equalf(t, strconv.Itoa(want), g.PartitionKey(n),
				"of %d weights, entity %d has value", len(weights), n)
		}
	}
}

// Values ask for nothing but the seed, the name and the number: not for the order, and not for
// the other attributes.
func TestDrawsDependOnSeedNameAndNumberAlone(t *testing.T) {
	all := laws()
	for _, a := range race().Attributes {
		all = append(all, lawful{name: a.Name, values: a.Values})
	}
	for _, tt := range all {
		one, reseeded := single(t, 5, tt.values), single(t, 6, tt.values)
		other := generator(t, keys.Options{Seed: 5, PartitionKey: template("{y}{x}"), RowKey: template("r"),
			Attributes: []keys.Attribute{{Name: "y", Values: list("")}, {Name: "x", Values: tt.values}}})
		same := 0
		for n := uint64(1000); n > 0; n-- {
			if got, want := other.PartitionKey(n), one.PartitionKey(n); got != want {
				t.Fatalf("%s: entity %d has %s beside another attribute and %s without; want the same", tt.name, n, got, want)
			}
			if one.PartitionKey(n) == reseeded.PartitionKey(n) {
				same++
			}
		}
		// One in 62 ages agrees by chance: 16 of 1,000, with a deviation of 4.
		assert.Falsef(t, tt.name == "age" && same > 40, "another seed gives %d of 1000 ages alike; want about 16", same)
		pinned := one.Pinned(17)
		for n := range uint64(50) {
			require.Equalf(t, one.PartitionKey(17), pinned.PartitionKey(n), "%s: Pinned(17).PartitionKey(%d)", tt.name, n)
		}
	}
}

// TestProbesHoldTheWidest draws many values, none of which is wider than all probes.
func TestProbesHoldTheWidest(t *testing.T) {
	for _, tt := range append(laws(), lawful{name: "partitions", values: keys.Partitions{Of: 1234, Rows: 9}},
		lawful{name: "texts by rank", values: keys.Zipf{Ranked: keys.Ranked{List: []string{"a", "bcd", "ef"}}, Exponent: 1}}) {
		widest := 0
		for _, probe := range probes(tt.values) {
			widest = max(widest, len(probe))
		}
		g := single(t, 1, tt.values)
		for n := range uint64(5000) {
			require.LessOrEqualf(t, len(g.PartitionKey(n)), widest, "%s: entity %d has", tt.name, n)
		}
	}
}

// probes returns those of a single attribute.
func probes(given keys.Distribution) []string {
	return keys.Options{Attributes: []keys.Attribute{{Name: "x", Values: given}}}.Probes([]string{"x"})["x"]
}

// TestListsAreTakenByRank: the texts of a list come up as the numbers would.
func TestListsAreTakenByRank(t *testing.T) {
	texts := []string{"gold", "silver", "bronze", "none"}
	for _, scramble := range []bool{false, true} {
		numbers := single(t, 3, keys.Zipf{Ranked: keys.Ranked{Of: 4, Scramble: scramble}, Exponent: 1})
		named := single(t, 3, keys.Zipf{Ranked: keys.Ranked{List: texts, Scramble: scramble}, Exponent: 1})
		for n := range uint64(1000) {
			i, _ := strconv.Atoi(numbers.PartitionKey(n))
			require.Equalf(t, texts[i], named.PartitionKey(n), "scramble %t: entity %d has", scramble, n)
		}
	}
}
