package advise

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The share that a query wants of what it reads is told from a crowd, and here from
// the distributions: two entities share a value with the sum of its squared shares.
func TestDensityIsThatOfTheDistributions(t *testing.T) {
	for _, row := range []struct {
		sentence, operation string
		set                 []string
		want                float64
	}{
		{"one of three cities, by their shares", "{name: q, verb: query, by: [city], pages: 1}", nil, 0.64 + 0.01 + 0.01},
		{"one of 400 users in a city", "{name: q, verb: query, by: [user], pages: 1}", []string{byCity}, 1.0 / 400},
		{"one of 40 users in a city", "{name: q, verb: query, by: [user], pages: 1}", []string{byCity, "attributes.user.uniform=[1, 40]"}, 1.0 / 40},
		{"a filter on one city", "{name: q, verb: query, class: table-scan, where: \"City eq 'Rome'\", pages: 1}", nil, 0.8},
		{"a filter on the asker's own city", "{name: q, verb: query, class: table-scan, where: \"City eq '{city}'\", pages: 1}", nil, 0.66},
		{"a filter that nothing passes", "{name: q, verb: query, class: table-scan, where: \"City eq 'Ulm'\", pages: 1}", nil, 0},
		{"a filter in a partition", "{name: q, verb: query, class: partition-scan, where: \"User lt 101\"}", []string{byCity}, 0.25},
		{"both", "{name: q, verb: query, by: [city], where: \"User lt 101\", pages: 1}", nil, 0.66 * 0.25},
		// 4,000 entities of as many users: nobody meets anybody.
		{"what nobody shares", "{name: q, verb: query, by: [id], where: \"User lt 9\"}", []string{"design.partition_key={id}", "design.row_key={user}"}, -1},
	} {
		s := judged(t, row.operation, append(row.set, "phases.load.entities=4000", slowly)...)
		one := used(t, s).Loads[0].Approaches[0]
		require.Equalf(t, row.want < 0, one.Density == nil, "%s: no density is told", row.sentence)
		if one.Density == nil {
			continue
		}
		// The entity that is asked about is there for certain.
		want := row.want + (1-row.want)/one.Entities
		// 100 askers draw their values, too.
		off := math.Abs(*one.Density - want)
		assert.Truef(t, off <= 0.08*want+0.005, "%s: the density is %.4f; want %.4f", row.sentence, *one.Density, want)
	}
}
