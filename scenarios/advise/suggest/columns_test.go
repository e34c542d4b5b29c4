package suggest_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/results/resultstest"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/advise/suggest"
	"loadgen/scenarios/keys"
)

// drawnRows are rows of 1,000 a second with the columns id, category, customer, batch and at.
type drawnRows struct {
	rows [][]string
	// ascends reports that the ids are numbers in their order.
	ascends bool
}

var columnNames = []string{"id", "category", "customer", "batch", "at"}

// drawRows draws even or skewed shares, ids by chance or in order, and a customer that sends most rows for a time.
func drawRows(seed uint64) drawnRows {
	chance := rand.New(rand.NewPCG(seed, 41))
	d := drawnRows{ascends: chance.IntN(2) == 0}
	categories, customers := 2+chance.IntN(40), 100<<chance.IntN(6)
	categorySkew, customerSkew := float64(1+chance.IntN(3)), float64(1+chance.IntN(3))
	draw := func(n int, skew float64) int { return int(math.Pow(chance.Float64(), skew) * float64(n)) }
	burst, batch := chance.IntN(3) == 0, 500<<chance.IntN(5)
	for i := range 10_000 {
		id, customer := fmt.Sprintf("%07d", i), draw(customers, customerSkew)
		if !d.ascends {
			id = fmt.Sprintf("%016x", chance.Uint64())
		}
		if burst && i/2000 == 2 && chance.IntN(10) > 0 {
			customer = 7
		}
		d.rows = append(d.rows, []string{id, fmt.Sprintf("c%02d", draw(categories, categorySkew)), fmt.Sprint(customer), fmt.Sprint(i / batch),
			time.Unix(1_790_000_000, int64(i)*1e6).UTC().Format("2006-01-02T15:04:05.000Z")})
	}
	return d
}

func (d *drawnRows) open() (io.ReadCloser, error) {
	var text strings.Builder
	for _, row := range append([][]string{columnNames}, d.rows...) {
		text.WriteString(strings.Join(row, ",") + "\n")
	}
	return io.NopCloser(strings.NewReader(text.String())), nil
}

// refused returns the share of entities that a token bucket of 2,000/s for each partition refuses at a rate; keys in
// the order of their rows share one.
func (d *drawnRows) refused(t *testing.T, partitionKey string, perSecond float64) float64 {
	parsed, err := keys.ParseColumns(partitionKey)
	require.NoError(t, err)
	type bucket struct {
		tokens float64
		at     int
	}
	buckets := make(map[string]*bucket)
	weight, lost := perSecond/1000, 0.0
	for i, row := range d.rows {
		key := parsed.Expand(func(name string) string {
			for j, one := range columnNames {
				if one == name {
					return row[j]
				}
			}
			return ""
		})
		if partitionKey == "{id}" && d.ascends {
			key = "the end of the table"
		}
		b := buckets[key]
		if b == nil {
			b = &bucket{2000, i}
			buckets[key] = b
		}
		b.tokens, b.at = min(2000, b.tokens+2*float64(i-b.at)), i
		if b.tokens < weight {
			lost++
			continue
		}
		b.tokens -= weight
	}
	return lost / float64(len(d.rows))
}

// The keys that are proposed first sustain the rate, are unique, and have neither buckets nor the id where a column or two leave a
// fifth of each partition free. The batch ascends, so that its keys end the table.
func TestColumnsSustainTheRate(t *testing.T) {
	plain, split, needless := 0, 0, 0
	for seed := range uint64(resultstest.Cases(20, 200)) {
		d := drawRows(seed)
		perSecond := float64(1000 + rand.New(rand.NewPCG(seed, 42)).IntN(14_000))
		c, err := suggest.Columns(d.open, advise.KeysOptions{File: "rows.csv", Targets: advise.DocumentedTargets(), PerSecond: perSecond, Time: "at"})
		require.NoError(t, err)
		first := c.Ranked[0]
		assert.LessOrEqualf(t, d.refused(t, first.PartitionKey, perSecond), 0.005, "seed %d: %s refuses at %.0f/s", seed, first.PartitionKey, perSecond)
		assert.Zerof(t, first.Repeated, "seed %d: %s / %s", seed, first.PartitionKey, first.RowKey)
		// Above the fifth that is left free: the busiest second is above the average, and the bucket starts full.
		groups := false
		for _, one := range []string{"{category}", "{customer}", "{category}_{customer}"} {
			groups = groups || d.refused(t, one, 1.7*perSecond) == 0
		}
		if !groups {
			split++
			continue
		}
		plain++
		if strings.Contains(first.PartitionKey, "id") || strings.Contains(first.PartitionKey, "hash") {
			t.Logf("seed %d, %.0f/s: %s", seed, perSecond, first.PartitionKey)
			needless++
		}
	}
	assert.LessOrEqualf(t, needless, plain/50, "keys with buckets or the id where %d files have a sufficient group", plain)
	assert.Truef(t, plain > split && split > 0, "%d files with a sufficient group, %d without", plain, split)
}
