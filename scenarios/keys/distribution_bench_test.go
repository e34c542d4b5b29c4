package keys_test

import (
	"testing"

	"loadgen/scenarios/keys"
)

// BenchmarkDraw forms a PartitionKey of a single attribute: its only allocation is
// the key itself.
func BenchmarkDraw(b *testing.B) {
	for _, row := range []struct {
		name   string
		values keys.Distribution
	}{
		{"uniform", keys.Uniform{Low: 0, High: 999_999}},
		{"zipf", keys.Zipf{Ranked: keys.Ranked{Of: 10_000_000}, Exponent: 1.1}},
		{"zipf-of-exponent-1", keys.Zipf{Ranked: keys.Ranked{Of: 10_000_000}, Exponent: 1}},
		{"zipf-scrambled", keys.Zipf{Ranked: keys.Ranked{Of: 10_000_000, Scramble: true}, Exponent: 1.1}},
		{"hot-set", keys.HotSet{Ranked: keys.Ranked{Of: 1000}, Hot: 0.1, Share: 0.9}},
		{"gaussian", keys.Gaussian{Mean: 38, Deviation: 9, Low: 18, High: 79}},
		{"latest", keys.Latest{Window: 1000, Exponent: 1, Every: 1}},
		{"partitions-dealt", keys.Partitions{Of: 1000, Rows: 100, Sizes: unequal()}},
		{"partitions-drawn", keys.Partitions{Of: 1000, Sizes: unequal()}},
		{"weights-of-100000", many(100_000)},
	} {
		b.Run(row.name, func(b *testing.B) {
			g := single(b, 1, row.values)
			b.ReportAllocs()
			for n := uint64(0); b.Loop(); n++ {
				g.PartitionKey(n)
			}
		})
	}
}

// unequal are the sizes that the documents show.
func unequal() []keys.Size {
	return []keys.Size{{Share: 0.7, Weight: 1}, {Share: 0.2, Weight: 2.5}, {Share: 0.1, Weight: 3.5}}
}

// many returns a list of so many values with weights from 1 to 1,000.
func many(given int) keys.ValueList {
	l := keys.ValueList{}
	for i := range given {
		l.Values = append(l.Values, string(rune('a'+i%26)))
		l.Weights = append(l.Weights, int64(i*i%1000+1))
	}
	return l
}

// single returns a generator whose PartitionKey is one attribute, x.
func single(t testing.TB, seed uint64, given keys.Distribution) *keys.Generator {
	t.Helper()
	return generator(t, keys.Options{Seed: seed, PartitionKey: template("{x}"), RowKey: template("r"),
		Attributes: []keys.Attribute{{Name: "x", Values: given}}})
}
