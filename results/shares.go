package results

import (
	"math/bits"
	"slices"
)

// sharesOf returns the partitions of a phase of so many seconds by how much they were
// offered, least first, nil for a phase of no length. Those that were due nothing have no
// share of it. The partitions come in an order that repeats: the sums of their shares are
// then the same to the last bit.
func sharesOf(seconds float64, offered []PartitionStats, loads map[place]*partitionLoad) []SharesClass {
	if seconds <= 0 {
		return nil
	}
	// The classes by the bits of the whole entities per second: 0 for less than one.
	var classes [65]SharesClass
	for _, one := range offered {
		if one.Entities <= 0 {
			continue
		}
		served := loads[place{one.Table, one.Key}].served
		length := bits.Len64(uint64(min(float64(one.Entities)/seconds, 1<<62)))
		c := &classes[length]
		if length > 0 {
			c.From = 1 << (length - 1)
		}
		share := min(1, float64(served)/float64(one.Entities))
		c.Partitions++
		c.Offered += one.Entities
		c.Served += served
		c.Shares += share
		c.Squares += share * share
	}
	return slices.DeleteFunc(classes[:], func(c SharesClass) bool { return c.Partitions == 0 })
}
