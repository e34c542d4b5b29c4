package keys_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/keys"
)

// sized has entities whose sizes are as a log has them: half of them at 900 bytes, one of a
// hundred at 20,000 or more.
func sized(t testing.TB, seed uint64) *keys.Generator {
	t.Helper()
	q, o := keys.Quantiles{5: 900, 7: 3000, 9: 20_000, 10: 90_000}, race()
	_, o.Size = q.Ends()
	o.Sizes, o.Seed = &q, o.Seed+seed
	return generator(t, o)
}

// Of many entities so many have each size as the quantiles say; between two of them the
// sizes lie evenly on a scale of equal factors, and what is below the first has its size.
func TestSizesByTheirQuantiles(t *testing.T) {
	g := sized(t, 0)
	const many = 40_000
	sizes := make([]int, many)
	for n := range sizes {
		sizes[n] = entity.Size(g.Key(uint64(n)), g.Properties(uint64(n)))
	}
	slices.Sort(sizes)
	for _, row := range []struct{ share, size float64 }{
		{.5, 900}, {.7, math.Sqrt(900 * 3000)}, {.9, 3000}, {.945, math.Sqrt(3000 * 20_000)}, {.99, 20_000}, {1, 90_000},
	} {
		// A size is even where its filler ends.
		below, _ := slices.BinarySearch(sizes, int(row.size)+1)
		got := float64(below) / many
		assert.LessOrEqualf(t, math.Abs(got-row.share), 4*math.Sqrt(row.share*(1-row.share)/many)+1./4096,
			"%.4f of the entities have at most %.0f bytes", got, row.size)
	}
	assert.Truef(t, sizes[0] == 899 && sizes[many-1] >= 80_000,
		"the sizes go from %d to %d; want 899, for a letter has two bytes, to about 90,000", sizes[0], sizes[many-1])
	whole := (&keys.Part{Of: g, All: true}).Properties(7)
	assert.Equal(t, entity.Size(g.Key(7), g.Properties(7)), entity.Size(g.Key(7), whole),
		"what a merge writes of the whole entity has bytes")
	assert.Equal(t, entity.Size(g.Key(9), g.Properties(9)), entity.Size(g.Key(9), g.Blank().Properties(9)),
		"a blank entity has another size")
}

// A size depends on the seed and the entity's number alone.
func TestSizesAreTheEntitys(t *testing.T) {
	one, again, other, differ := sized(t, 0), sized(t, 0), sized(t, 1), 0
	for n := range uint64(200) {
		size := func(g *keys.Generator) int { return entity.Size(entity.Key{}, g.Properties(n)) }
		first := size(one)
		require.Equalf(t, []int{first, first}, []int{size(one), size(again)}, "the size of entity %d, and of another generator", n)
		if first != size(other) {
			differ++
		}
	}
	assert.GreaterOrEqual(t, differ, 50, "of 200 entities have another size by another seed")
}
