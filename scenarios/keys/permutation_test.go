package keys_test

import (
	"hash/fnv"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios/keys"
)

// ranksOf returns the rank and the value of so many entities under a scrambled zipf:
// the same draws without scrambling are the ranks.
func ranksOf(t *testing.T, seed uint64, of int64, exponent float64, draws uint64) (ranks, given []int64) {
	t.Helper()
	plain := single(t, seed, zipf(of, exponent))
	mixed := single(t, seed, keys.Zipf{Ranked: keys.Ranked{Of: of, Scramble: true}, Exponent: exponent})
	for n := range draws {
		rank, _ := strconv.ParseInt(plain.PartitionKey(n), 10, 64)
		value, _ := strconv.ParseInt(mixed.PartitionKey(n), 10, 64)
		ranks, given = append(ranks, rank), append(given, value)
	}
	return ranks, given
}

// byOwner counts values by the lowest rank that has each, which it owns.
func byOwner(of int64, ranks, values []int64) []int64 {
	owner := map[int64]int64{}
	for i, value := range values {
		if first, owned := owner[value]; !owned || ranks[i] < first {
			owner[value] = ranks[i]
		}
	}
	observed := make([]int64, of)
	for _, value := range values {
		observed[owner[value]]++
	}
	return observed
}

// TestAScrambledZipfIsStillZipf: the usual way to spread the common values, a hash of
// the rank modulo their number, has several ranks share a value and leaves others
// to nobody. What comes of it is no longer what was asked for, and the test of the
// law says so; a permutation passes.
func TestAScrambledZipfIsStillZipf(t *testing.T) {
	const of, draws = 1000, 100_000
	for _, exponent := range []float64{0.5, 1, 1.2} {
		shares := powers(of, exponent, of, from(0))
		ranks, values := ranksOf(t, 8, of, exponent, draws)
		checkFit(t, byOwner(of, ranks, values), shares, "scrambled draws by exponent %v", exponent)
		hashed := make([]int64, len(ranks))
		for i, rank := range ranks {
			h := fnv.New64a()
			h.Write([]byte(strconv.FormatInt(rank, 10)))
			hashed[i] = int64(h.Sum64() % of)
		}
		checkMisfit(t, byOwner(of, ranks, hashed), shares, "ranks hashed modulo %d by exponent %v", of, exponent)
	}
}

// TestScramblingIsAPermutation follows every rank of small and odd numbers of values.
func TestScramblingIsAPermutation(t *testing.T) {
	for _, of := range []int64{1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 257} {
		ranks, values := ranksOf(t, 4, of, 0, 20*uint64(of)+200)
		to := map[int64]int64{}
		for i, rank := range ranks {
			if values[i] < 0 || values[i] >= of {
				t.Fatalf("of %d values, rank %d has %d", of, rank, values[i])
			}
			if before, seen := to[rank]; seen && before != values[i] {
				t.Fatalf("of %d values, rank %d has %d and %d; want one", of, rank, before, values[i])
			}
			to[rank] = values[i]
		}
		taken := map[int64]bool{}
		for rank, value := range to {
			if taken[value] {
				t.Fatalf("of %d values, %d belongs to rank %d and to another; want one", of, value, rank)
			}
			taken[value] = true
		}
		require.Equalf(t, of, int64(len(to)), "of %d values, %d came up", of, len(to))
	}
}

// The commonest values lie apart, and elsewhere for another seed.
func TestScramblingSpreadsTheCommonValues(t *testing.T) {
	const of, common = 1 << 20, 50
	var before []int64
	for seed := range uint64(20) {
		ranks, values := ranksOf(t, seed, of, 1.2, 5000)
		where := make([]int64, common)
		for i, rank := range ranks {
			if rank < common {
				where[rank] = values[i]
			}
		}
		if seed > 0 && where[0] == before[0] && where[1] == before[1] {
			t.Errorf("seeds %d and %d have the commonest two at %d and %d; want other places", seed-1, seed, where[0], where[1])
		}
		before = slices.Clone(where)
		slices.Sort(where)
		near := 0
		for i := range common - 1 {
			if where[i+1]-where[i] < of/common/100 {
				near++
			}
		}
		// About one in a hundred gaps is as short by chance.
		assert.Truef(t, near <= 8, "seed %d: %d of the %d commonest lie side by side; want about one", seed, near, common)
	}
}
