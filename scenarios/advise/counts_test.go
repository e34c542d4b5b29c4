package advise

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/document"
	"loadgen/results/resultstest"
	"loadgen/scenarios/run/runtest"
)

// A number of partitions is what counting every operation gives, or a lower bound that is shown as one: of
// 90,000 operations only some are looked at, and a record counts 10,000 partitions.
func TestPartitionsOfLoadsAreCounted(t *testing.T) {
	chance := rand.New(rand.NewPCG(48, 6))
	for n := range resultstest.Cases(3, 18) {
		key, seconds, bounded := fmt.Sprintf("p{hash(id,%d):05d}", 2+chance.IntN(900)), []int{1, 10, 10}[n%3], n%3 == 2
		if bounded {
			key = fmt.Sprintf("p{hash(id,%d):07d}", 15_000+chance.IntN(1_000_000))
		}
		s := runtest.Parse(t, file(t, "rates"), "design.partition_key="+key, "phases.day.arrivals.constant=9000", fmt.Sprintf("phases.day.for=%ds", seconds))
		truth, _ := counted(t, s, 0)
		e := explained(t, s)
		k := &e.Used().Loads[0].Keys
		assert.Equalf(t, bounded, k.PartitionsAtLeast, "%s for %d s: a lower bound", key, seconds)
		assert.Truef(t, k.Partitions == float64(len(truth)) || bounded && k.Partitions < float64(len(truth)),
			"%s for %d s: %v partitions; counting gives %d", key, seconds, k.Partitions, len(truth))
		assert.Equalf(t, document.LowerBound(int64(k.Partitions), bounded), cellOf(t, e.Document().Screen[0].(document.Table), 0, "partitions"), key)
		assert.Equalf(t, document.AtLeast(int64(k.Partitions), bounded), k.count(), key)
	}
}

// Up to some thousands the distinct keys of rows are exact, whatever the number of candidates. Above that
// there are about as many as counting gives, and never more than rows.
func TestPartitionsOfRowsAreCounted(t *testing.T) {
	const rows = 12_000
	for n := range resultstest.Cases(2, 12) {
		chance := rand.New(rand.NewPCG(uint64(n), 49))
		distinct := []int{5_000, 1_000_000}[n%2]
		truth := map[string]bool{}
		text := columns("key,number", rows, func(i int) string {
			key := fmt.Sprint(chance.IntN(distinct))
			truth[key] = true
			return fmt.Sprintf("%s,%d", key, i)
		})
		candidates := []Candidate{{PartitionKey: "{key}"}}
		for i := 1; i < maxCandidates; i++ {
			candidates = append(candidates, Candidate{PartitionKey: fmt.Sprintf("%d_{number}", i)})
		}
		c, err := FromRows(strings.NewReader(text), candidates, KeysOptions{File: "rows.csv", Targets: documented})
		require.NoError(t, err)
		for _, k := range c.Ranked {
			want := rows
			if k.PartitionKey == "{key}" {
				want = len(truth)
			}
			got, exact := k.Spread.Partitions, k.Spread.PartitionsError == 0
			assert.Truef(t, got <= rows && k.Spread.Effective <= got*(1+1e-9), "%s: %v of %v partitions of %d rows", k.PartitionKey, k.Spread.Effective, got, rows)
			assert.InDeltaf(t, want, got, 5*k.Spread.PartitionsError, "%s: the number of partitions", k.PartitionKey)
			assert.Equalf(t, want <= 5_000, exact, "%s: %d partitions are exact", k.PartitionKey, want)
			assert.Equalf(t, !exact, strings.HasPrefix(k.Spread.count(), "about "), "%s: %s", k.PartitionKey, k.Spread.count())
		}
	}
}
