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

// Effective returns the effective number of partitions: how many of equal size
// would be as uneven. It is 1 / Σ p², p being each partition's share of the
// entities (the inverse of Simpson's concentration index, 1949): the number of
// partitions where all are alike, 1 where one holds everything. No entities
// have 0.
func Effective(shares []Share) float64 {
	total, squares := 0.0, 0.0
	for _, s := range shares {
		total += float64(s.Entities)
		squares += float64(s.Entities) * float64(s.Entities)
	}
	if squares == 0 {
		return 0
	}
	return total * total / squares
}
