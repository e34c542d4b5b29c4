package keystatistics_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
	"loadgen/scenarios/advise/keystatistics"
)

// counted is what brute force knows of a stream.
type counted struct {
	weights map[string]int64
	total   int64
}

// count returns rows and counts them.
func count(key func(rng *rand.Rand, i int) (string, int64)) ([]*keystatistics.Row, counted) {
	rng := rand.New(rand.NewPCG(7, 11))
	c := counted{weights: map[string]int64{}}
	rows := make([]*keystatistics.Row, resultstest.Cases(40_000, 100_000))
	for i := range rows {
		name, entities := key(rng, i)
		rows[i] = &keystatistics.Row{PartitionKey: name, Entities: entities}
		c.weights[name] += entities
		c.total += entities
	}
	return rows, c
}

// TestHeaviestAgreeWithBruteForce holds everything that is printed of the weights
// against a count of all keys, where all are told apart and where few are.
func TestHeaviestAgreeWithBruteForce(t *testing.T) {
	zipf := func(exponent float64) func(*rand.Rand, int) (string, int64) {
		var source *rand.Zipf
		return func(rng *rand.Rand, _ int) (string, int64) {
			if source == nil {
				source = rand.NewZipf(rng, exponent, 1, 1<<20)
			}
			return fmt.Sprintf("user%07d", source.Uint64()), 1
		}
	}
	for _, tt := range []struct {
		name string
		key  func(*rand.Rand, int) (string, int64)
	}{
		{"a steep zipf", zipf(1.8)},
		{"a flat zipf", zipf(1.05)},
		{"keys that are all different", func(_ *rand.Rand, i int) (string, int64) { return fmt.Sprintf("%08d", i*7919%100_003), 1 }},
		{"twenty thousand alike", func(rng *rand.Rand, _ int) (string, int64) { return fmt.Sprintf("k%d", rng.IntN(20_000)), 1 }},
		{"one of a thousand far heavier", func(rng *rand.Rand, _ int) (string, int64) {
			if rng.IntN(10) == 0 {
				return "hot", 1
			}
			return fmt.Sprintf("k%d", rng.IntN(50_000)), 1
		}},
		{"rows that count up to a hundred", func(rng *rand.Rand, _ int) (string, int64) {
			return fmt.Sprintf("k%d", int(math.Pow(50_000, rng.Float64()))), 1 + rng.Int64N(100)
		}},
		{"heavy ones first, then a crowd", func(rng *rand.Rand, i int) (string, int64) {
			if i < 5000 {
				return fmt.Sprintf("early%d", i%7), 1
			}
			return fmt.Sprintf("k%d", i), 1
		}},
	} {
		rows, c := count(tt.key)
		for _, o := range []keystatistics.Options{{}, {Exact: 20_000, Places: 500}, {Exact: 1, Places: 2000, Top: 2000}, {Exact: 20, Places: 10}} {
			t.Run(fmt.Sprintf("%s, %d exact, %d places", tt.name, o.Exact, o.Places), func(t *testing.T) {
				r := reportOf(t, o, rows...)
				checkWeights(t, &r, &c)
				assert.Falsef(t, o.Exact == 0 && !(r.Partitions.Exact && r.Effective.Exact && r.Partitions.Value == float64(len(c.weights))),
					"Partitions = %+v; want %d exactly", r.Partitions, len(c.weights))
			})
		}
	}
}

func checkWeights(t *testing.T, r *keystatistics.Report, c *counted) {
	t.Helper()
	assert.Equal(t, c.total, r.Entities, "Entities")
	descending := slices.IsSortedFunc(r.Top, func(a, b keystatistics.Share) int { return int(b.Least - a.Least) })
	assert.Truef(t, descending, "Top = %+v; want the heaviest first", r.Top)
	listed, squares, heaviest := map[string]bool{}, 0.0, int64(0)
	for _, share := range r.Top {
		listed[share.PartitionKey] = true
		if exact := c.weights[share.PartitionKey]; exact < share.Least || exact > share.Most {
			t.Errorf("%q has from %d to %d entities; want bounds around %d", share.PartitionKey, share.Least, share.Most, exact)
		}
		if got, want := share.OfAll.Most, float64(share.Most)/float64(c.total); math.Abs(got-want) > 1e-12 {
			t.Errorf("%q has a share up to %v; want %v", share.PartitionKey, got, want)
		}
	}
	for key, n := range c.weights {
		squares, heaviest = squares+float64(n)*float64(n), max(heaviest, n)
		assert.Truef(t, listed[key] || n <= r.Unlisted,
			"%q is not listed and has %d entities; want at most %d", key, n, r.Unlisted)
	}
	if top := float64(heaviest) / float64(c.total); top < r.Hottest.Least-1e-12 || top > r.Hottest.Most+1e-12 {
		t.Errorf("Hottest = %+v; want bounds around %v", r.Hottest, top)
	}
	assert.Truef(t, r.Effective.Value <= r.Partitions.Value*(1+1e-12) && r.Partitions.Value <= float64(r.Rows),
		"%v of %v partitions of %d rows; want no more than there are", r.Effective.Value, r.Partitions.Value, r.Rows)
	// Five standard errors are missed once in two million, and the seed is fixed.
	within(t, "Partitions", r.Partitions, float64(len(c.weights)))
	within(t, "Effective", r.Effective, float64(c.total)*float64(c.total)/squares)
}

func within(t *testing.T, what string, got keystatistics.Estimate, want float64) {
	t.Helper()
	assert.Equalf(t, got.StandardError == 0, got.Exact, "%s = %+v", what, got)
	assert.Truef(t, math.Abs(got.Value-want) <= 5*got.StandardError+1e-9*want,
		"%s = %+v; want %v within five standard errors", what, got, want)
}

func TestInvalidKeysAreCountedApart(t *testing.T) {
	rows := []*keystatistics.Row{
		{PartitionKey: "fine", Entities: 1},
		{PartitionKey: "a/b", RowKey: "r", Entities: 1, Line: 2},
		{PartitionKey: "p", RowKey: "what?", Entities: 1, Line: 3},
		{PartitionKey: strings.Repeat("x", 513), Entities: 1, Line: 4},
		{PartitionKey: "a\xff", Entities: 1, Line: 5},
	}
	for range 20 {
		rows = append(rows, &keystatistics.Row{PartitionKey: "#", Line: 6})
	}
	r := reportOf(t, keystatistics.Options{}, rows...)
	require.Truef(t, r.Rows == 1 && r.Invalid == 24 && r.Partitions.Value == 1 && len(r.Faults) == 10,
		"Report() = %d rows, %d invalid, %v partitions, %d faults; want 1, 24, 1, 10", r.Rows, r.Invalid, r.Partitions.Value, len(r.Faults))
	for i, want := range []string{"U+002F", "U+003F", "513", "UTF-8"} {
		if f := r.Faults[i]; f.Line != int64(i+2) || !strings.Contains(f.What, want) || len(f.PartitionKey) > 61 {
			t.Errorf("Faults[%d] = %+v; want line %d and %s", i, f, i+2, want)
		}
	}
}

func TestRowsAreWeighedWithinBounds(t *testing.T) {
	for entities, want := range map[int64]int64{0: 0, -5: 0, 1: 1, 1e9: 1e9, math.MaxInt64: 1e9} {
		r := reportOf(t, keystatistics.Options{}, &keystatistics.Row{PartitionKey: "p", Entities: entities})
		assert.Truef(t, r.Entities == want && r.Top[0].Least == want, "Add(%d entities) = %d; want %d", entities, r.Entities, want)
	}
	none := reportOf(t, keystatistics.Options{})
	assert.True(t, none.Partitions.Value == 0 && none.Effective.Value == 0 && len(none.Top) == 0, "Report() without rows")
}

// TestMemoryDoesNotGrowWithTheStream surveys ten times as many keys, all
// different, and counts what stays.
func TestMemoryDoesNotGrowWithTheStream(t *testing.T) {
	held := func(rows int) uint64 {
		s := keystatistics.New(keystatistics.Options{Exact: 1000, Places: 500, Samples: 500})
		for i := range rows {
			s.Add(&keystatistics.Row{PartitionKey: fmt.Sprintf("%012d", i*7919), Entities: 1, HasInstant: true})
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		runtime.KeepAlive(s)
		s = nil
		runtime.GC()
		runtime.ReadMemStats(&after)
		return before.HeapAlloc - min(before.HeapAlloc, after.HeapAlloc)
	}
	few, many := held(20_000), held(200_000)
	assert.Truef(t, many <= few+few/4+100_000 && many <= 4<<20,
		"%d bytes are held after ten times as many keys as need %d; want no more", many, few)
}
