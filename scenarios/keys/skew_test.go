package keys_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/keys"
)

func TestAttributesAreIndependent(t *testing.T) {
	g := generator(t, race())
	observed, shares := make([]int64, 9), make([]float64, 9)
	for n := range uint64(20_000) {
		distance, _ := g.Value("distance", n)
		name, _ := g.Value("name", n)
		i := slices.Index([]string{"Full", "Half", "10 km"}, distance)
		j := slices.Index([]string{"Ada", "Björn", "田中"}, name)
		observed[3*i+j]++
	}
	for i := range shares {
		shares[i] = []float64{0.4, 0.35, 0.25}[i/3] / 3
	}
	checkFit(t, observed, shares, "distance × name")
	checkMisfit(t, observed, powers(9, 0, 9, from(0)), "even shares")
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
		assert.Equalf(t, share.Entities, uint64(len(members)),
			"%q has %d entities; Skew says %d", share.PartitionKey, len(members), share.Entities)
		assert.Falsef(t, share.Entities > last.Entities || share.Entities == last.Entities && share.PartitionKey < last.PartitionKey,
			"Skew() has %v after %v; want the larger first, then the lesser key", share, last)
		last = share
		total += share.Entities
	}
	assert.EqualValues(t, n, total, "Skew() adds up to")
}

func TestEqualSharesComeInTheOrderOfTheIndex(t *testing.T) {
	g := generator(t, keys.Options{
		Attributes:   []keys.Attribute{{Name: "x", Values: keys.Sequence{Start: 7}}},
		PartitionKey: template("{x}"),
	})
	want := []keys.Share{{"10", 1}, {"11", 1}, {"7", 1}, {"8", 1}, {"9", 1}}
	assert.Equal(t, want, keys.Skew(g, 5), "Skew()")
}

// TestSharesMatchTheWeights holds the partitions of 20,000 entities against the
// weights of their attributes.
func TestSharesMatchTheWeights(t *testing.T) {
	var observed []int64
	var shares []float64
	held := map[string]int64{}
	for _, share := range keys.Skew(generator(t, race()), 20_000) {
		held[share.PartitionKey] = int64(share.Entities)
	}
	for name, share := range map[string]float64{"Full": 0.4, "Half": 0.35, "10 km": 0.25} {
		for _, event := range []string{"2011 New York City Marathon", "2011 Berlin Marathon"} {
			observed, shares = append(observed, held[event+"__"+name]), append(shares, share/2)
		}
	}
	if got := fit(t, observed, shares); got < alarm || len(held) != 6 {
		t.Errorf("%v of %d partitions are as far from the weights as sound ones in %.2g of cases", observed, len(held), got)
	}
	if got := fit(t, observed, powers(6, 0, 6, from(0))); got > alarm {
		t.Errorf("%v are as near to even shares as one in %.2g of cases; want below %v, or this test cannot fail", observed, got, alarm)
	}
}
