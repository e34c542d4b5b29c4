package keys

import (
	"cmp"
	"slices"

	"loadgen/engine/entity"
)

// Share is how many of the entities one partition holds.
type Share struct {
	PartitionKey string
	Entities     uint64
}

// Skew counts the partitions that the entities 0 … n-1 fall into: the largest
// first, equal ones in the order of the index. It keeps one entry for each
// partition.
func Skew(g *Generator, n uint64) []Share {
	counts := map[string]uint64{}
	for i := range n {
		counts[g.PartitionKey(i)]++
	}
	shares := make([]Share, 0, len(counts))
	for key, entities := range counts {
		shares = append(shares, Share{key, entities})
	}
	slices.SortFunc(shares, func(a, b Share) int {
		return cmp.Or(cmp.Compare(b.Entities, a.Entities), entity.Compare(a.PartitionKey, b.PartitionKey))
	})
	return shares
}
