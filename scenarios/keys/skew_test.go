package keys_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/scenarios/keys"
)

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
	assert.Len(t, held, 6, "partitions")
	checkFit(t, observed, shares, "event × distance")
	checkMisfit(t, observed, powers(6, 0, 6, from(0)), "even shares")
}
