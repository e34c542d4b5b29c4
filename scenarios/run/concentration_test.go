package run_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results/figure"
	"loadgen/scenarios/run"
	"loadgen/scenarios/run/runtest"
)

// One of many partitions gets more than a partition's target, all others get less: the limit is that of its key and
// not that of the sum. If each partition gets more, or a share of all is refused at random, no partition is named.
func TestLimitOfOnePartitionIsNotThatOfTheSum(t *testing.T) {
	runtest.SkipIfShort(t)
	t.Parallel()
	const target = 2000
	for n := range run.Tier(6, 60) {
		rng := rand.New(rand.NewPCG(71, uint64(n)))
		others, retry := 8+rng.IntN(40), []string{"none", "short"}[rng.IntN(2)]
		hot, cold := target*(1.1+0.9*rng.Float64()), 100+150*rng.Float64()
		for _, row := range []struct {
			name         string
			hot, cold    float64
			others       int
			faults       string
			concentrated bool
		}{
			{"one partition is over its target", hot, cold, others, "", true},
			{"each partition is over its target", hot, hot, 2, "", false},
			{"a share of all is refused", cold, cold, others, "faults: [{kind: refuse, share: 5%}]\n", false},
		} {
			weights, keys := []int{int(row.hot)}, []string{"hot"}
			for i := range row.others {
				weights, keys = append(weights, int(row.cold)), append(keys, fmt.Sprintf("k%d", i))
			}
			record := runtest.Simulate(t, runtest.Parse(t, fmt.Sprintf(`name: drawn
seed: %d
retry: %s
%sattributes:
  key: {list: [%s], weights: [%s]}
  n: {sequence: 1}
design: {partition_key: "{key}", row_key: "{n}"}
phases:
  - name: peak
    traffic:
      arrivals: {constant: %.0f}
      for: 8s
      operations: [{verb: insert}]
`, n+1, retry, row.faults, joined(keys), joined(weights), row.hot+float64(row.others)*row.cold)))
			l := figure.NewFigures(record.Record).Ladders()[0]
			if row.concentrated {
				assert.Truef(t, l.Throttling == figure.Concentrated && l.Concentration.Key == "hot" && l.Concentration.Partitions == 1,
					"%d, %s: %s %+v; want the partition hot", n, row.name, l.Throttling, l.Concentration)
				assert.Nilf(t, record.Summary.Saturation, "%d, %s: saturation", n, row.name)
			} else {
				assert.Nilf(t, l.Concentration, "%d, %s: %s", n, row.name, l.Throttling)
			}
		}
	}
}

// joined returns the elements of a list in YAML.
func joined[T any](list []T) (text string) {
	for i, one := range list {
		text += map[bool]string{false: ", "}[i == 0] + fmt.Sprint(one)
	}
	return text
}
