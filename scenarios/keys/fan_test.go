package keys_test

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/filter"
	"loadgen/scenarios/keys"
)

func TestFannedPlans(t *testing.T) {
	for _, tt := range []planned{
		{"a bucket and then a day: each bucket's part of the day",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "day", 0, filter.ClassPartitionScan, "{at} 16", 16},
		{"a bucket alone, and the RowKey: a point of each", "{hash(user,4)}|{bib}", "bib", 0, filter.ClassRowRange, "4", 4},
		{"two buckets: each with each", "{hash(user,4)}_{hash(name,3)}|{bib}_{age}", "bib", 0, filter.ClassRowRange, "{age} 12", 12},
		{"a bucket of what the reader knows is none",
			"{hash(user,4)}_{day}|{bib}", "user day", 0, filter.ClassPartitionScan, "{bib}", 1},
		{"a bucket behind a day, of which all is wanted: one query reads no more",
			"{day}_{hash(user,16):02d}|{at}_{uuid}", "day", 0, filter.ClassPartitionRangeScan, "", 1},
		{"a bucket behind a day, of which a part is wanted",
			"{day}_{hash(user,16):02d}|{name}_{uuid}", "day name", 0, filter.ClassRowRange, "{uuid} 16", 16},
		{"a span that begins with a bucket",
			"{hash(user,16):02d}_{day}|{at}_{uuid}", "", time.Minute, filter.ClassPartitionRangeScan, "{at:day} 16", 16},
		{"what comes after the bucket is not known either", "{hash(user,16)}_{name}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
		{"a hundred buckets", "{hash(user,100)}|{bib}", "bib", 0, filter.ClassRowRange, "100", 100},
		{"more than anybody asks", "{hash(user,101)}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
		{"more than anybody asks, in all", "{hash(user,11)}{hash(name,10)}|{bib}", "bib", 0, filter.ClassTableScan, "", 1},
	} {
		partition, row, _ := strings.Cut(tt.keys, "|")
		g := designed(t, partition, row)
		plan := g.FannedPlan(strings.Fields(tt.know), tt.span)
		if plan.Class != tt.class || plan.Queries() != tt.queries || tt.by != "" && !namesParts(plan.Why, tt.by) {
			t.Errorf("%s: FannedPlan(%q, %s) = %s in %d: %s; want %s in %d by %s", tt.name,
				tt.know, tt.span, plan.Class, plan.Queries(), plan.Why, tt.class, tt.queries, tt.by)
		}
		if alone := g.Plan(strings.Fields(tt.know), tt.span).Why; tt.by == "" && plan.Why != alone {
			t.Errorf("%s: FannedPlan(%q, %s) says %s; want what one query is no better for, %s", tt.name, tt.know, tt.span, plan.Why, alone)
		}
	}
}

// number returns the value of an entity as an integer.
func number(t *testing.T, g *keys.Generator, n uint64) int64 {
	t.Helper()
	value, err := strconv.ParseInt(g.PartitionKey(n), 10, 64)
	if err != nil {
		t.Fatalf("PartitionKey(%d) = %q; want an integer", n, g.PartitionKey(n))
	}
	return value
}

// TestLatestReadsNothingThatIsNotThere: what an entity refers to came into being with
// it or before it.
func TestLatestReadsNothingThatIsNotThere(t *testing.T) {
	for _, tt := range []keys.Latest{
		{Window: 1, Every: 1}, {Window: 100, Exponent: 1, Every: 1}, {Window: 100, Exponent: 1, Every: 1, Start: 1},
		{Window: 1_000_000_000, Every: 1}, {Window: 1_000_000_000, Exponent: 5, Every: 3, Start: -7}, {Window: 50, Exponent: 0.5, Every: 1000},
	} {
		g := single(t, 2, tt)
		for n := range uint64(3000) {
			newest := tt.Start + int64(n)/tt.Every
			oldest := max(tt.Start, newest-tt.Window+1)
			if got := number(t, g, n); got > newest || got < oldest {
				t.Fatalf("%+v: entity %d refers to %d; want %d to %d, which there are by then", tt, n, got, oldest, newest)
			}
		}
		// So it goes on far beyond what can be loaded.
		const far = 1 << 61
		if got, newest := number(t, g, far), tt.Start+far/tt.Every; got > newest || got <= newest-tt.Window {
			t.Errorf("%+v: entity 2⁶¹ refers to %d; want one of the latest %d up to %d", tt, got, tt.Window, newest)
		}
	}
}

// TestLatestFollowsTheLawOfItsWindow looks at ages once the window is full, and while
// there are only five numbers.
func TestLatestFollowsTheLawOfItsWindow(t *testing.T) {
	const window, draws = 200, 40_000
	for _, exponent := range []float64{0, 0.8, 1, 1.5} {
		ages := func(exponent float64) []int64 {
			g := single(t, 12, keys.Latest{Window: window, Exponent: exponent, Every: 2, Start: 9})
			observed := make([]int64, window)
			for n := uint64(2 * window); n < 2*window+draws; n++ {
				observed[9+int64(n/2)-number(t, g, n)]++
			}
			return observed
		}
		shares := powers(window, exponent, window, from(0))
		checkFit(t, ages(exponent), shares, "ages by exponent %v", exponent)
		checkMisfit(t, ages(exponent+0.1), shares, "ages by exponent %v", exponent+0.1)
	}
	const every = 1_000_000
	g := single(t, 12, keys.Latest{Window: window, Exponent: 1, Every: every})
	observed := make([]int64, 5)
	for n := uint64(4 * every); n < 4*every+draws; n++ {
		observed[4-number(t, g, n)]++
	}
	checkFit(t, observed, powers(5, 1, 5, from(0)), "ages among five numbers")
	checkMisfit(t, observed, powers(5, 0.8, 5, from(0)), "ages by another exponent")
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
