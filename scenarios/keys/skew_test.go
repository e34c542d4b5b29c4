package keys_test

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"loadgen/scenarios/keys"
)

// chiSquare returns Pearson's statistic of counts against what weights promise.
func chiSquare(observed, weights []int64) float64 {
	total, weight, sum := int64(0), int64(0), 0.0
	for i := range observed {
		total += observed[i]
		weight += weights[i]
	}
	for i := range observed {
		expected := float64(total) * float64(weights[i]) / float64(weight)
		sum += (float64(observed[i]) - expected) * (float64(observed[i]) - expected) / expected
	}
	return sum
}

// TestSharesMatchTheWeights holds the partitions of 20,000 entities against the
// weights of their attributes. A statistic above the bound comes up in one of a
// thousand sound generators; the seed is fixed.
func TestSharesMatchTheWeights(t *testing.T) {
	distance := map[string]int64{"Full": 40, "Half": 35, "10 km": 25}
	var observed, weights, even []int64
	g := generator(t, race())
	for _, share := range keys.Skew(g, 20_000) {
		for name, weight := range distance {
			for _, event := range []string{"2011 New York City Marathon", "2011 Berlin Marathon"} {
				if share.PartitionKey == event+"__"+name {
					observed, weights, even = append(observed, int64(share.Entities)), append(weights, weight), append(even, 1)
				}
			}
		}
	}
	if len(observed) != 6 {
		t.Fatalf("Skew() has %d of the 6 partitions", len(observed))
	}
	const bound = 20.5 // 5 degrees of freedom
	if got := chiSquare(observed, weights); got > bound {
		t.Errorf("chi-square of %v against the weights = %.1f; want at most %.1f", observed, got, bound)
	}
	if got := chiSquare(observed, even); got < 10*bound {
		t.Errorf("chi-square of %v against even shares = %.1f; want far above %.1f, or this test cannot fail", observed, got, bound)
	}
}

func TestUniformIsUniform(t *testing.T) {
	for _, tt := range []struct {
		name      string
		low, high int64
		bound     float64
	}{
		{"the ages of runners", 18, 79, 100.9},
		{"a range around zero", -3, 3, 22.5},
		{"a single value", 5, 5, 0.001},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := generator(t, keys.Options{Seed: 9, Attributes: []keys.Attribute{{Name: "x", Values: keys.Uniform{Low: tt.low, High: tt.high}}}})
			observed := make([]int64, tt.high-tt.low+1)
			weights := slices.Repeat([]int64{1}, len(observed))
			for n := range uint64(20_000) {
				text, _ := g.Value("x", n)
				value, err := strconv.ParseInt(text, 10, 64)
				if err != nil || value < tt.low || value > tt.high {
					t.Fatalf("Value(x, %d) = %q; want an integer from %d to %d", n, text, tt.low, tt.high)
				}
				observed[value-tt.low]++
			}
			if got := chiSquare(observed, weights); got > tt.bound {
				t.Errorf("chi-square of %v = %.1f; want at most %.1f", observed, got, tt.bound)
			}
		})
	}
}

func TestAttributesAreIndependent(t *testing.T) {
	g := generator(t, race())
	observed := make([]int64, 9)
	weights := []int64{40, 40, 40, 35, 35, 35, 25, 25, 25}
	for n := range uint64(20_000) {
		distance, _ := g.Value("distance", n)
		name, _ := g.Value("name", n)
		i := slices.Index([]string{"Full", "Half", "10 km"}, distance)
		j := slices.Index([]string{"Ada", "Björn", "田中"}, name)
		observed[3*i+j]++
	}
	const bound = 26.1 // 8 degrees of freedom, one of a thousand
	if got := chiSquare(observed, weights); got > bound {
		t.Errorf("chi-square of distance × name %v = %.1f; want at most %.1f", observed, got, bound)
	}
}

// membersOf returns those of the first n entities that have the PartitionKey.
func membersOf(g *keys.Generator, partitionKey string, n uint64) []uint64 {
	var members []uint64
	for i := range n {
		if g.PartitionKey(i) == partitionKey {
			members = append(members, i)
		}
	}
	return members
}

// TestSkewAgreesWithMembers counts a second way.
func TestSkewAgreesWithMembers(t *testing.T) {
	const n = 3000
	g := generator(t, race())
	total := uint64(0)
	last := keys.Share{Entities: math.MaxUint64}
	for _, share := range keys.Skew(g, n) {
		members := membersOf(g, share.PartitionKey, n)
		if uint64(len(members)) != share.Entities {
			t.Errorf("%q has %d entities; Skew says %d", share.PartitionKey, len(members), share.Entities)
		}
		if share.Entities > last.Entities || share.Entities == last.Entities && share.PartitionKey < last.PartitionKey {
			t.Errorf("Skew() has %v after %v; want the larger first, then the lesser key", share, last)
		}
		last = share
		total += share.Entities
	}
	if total != n {
		t.Errorf("Skew() adds up to %d entities; want %d", total, n)
	}
}

func TestEqualSharesComeInTheOrderOfTheIndex(t *testing.T) {
	g := generator(t, keys.Options{
		Attributes:   []keys.Attribute{{Name: "x", Values: keys.Sequence{Start: 7}}},
		PartitionKey: template("{x}"),
	})
	want := []keys.Share{{"10", 1}, {"11", 1}, {"7", 1}, {"8", 1}, {"9", 1}}
	if got := keys.Skew(g, 5); !slices.Equal(got, want) {
		t.Errorf("Skew() = %v; want %v", got, want)
	}
}
