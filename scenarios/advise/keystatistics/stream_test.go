package keystatistics_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/results"
	"loadgen/scenarios/advise/keystatistics"
)

// TestAStreamAgreesWithTheInstants takes the new keys of every design as they come:
// what the instants call one way is never told the other way, nor what they call spread
// any way, and what goes one way without outliers is told so from twenty keys on.
func TestAStreamAgreesWithTheInstants(t *testing.T) {
	told := 0
	for i, d := range Designs() {
		for _, d := range []Design{d, d.Reverse()} {
			var stream keystatistics.Stream
			var order results.Order
			seen := make(map[string]bool)
			for _, row := range d.rows(uint64(i), 3000) {
				if !seen[row.PartitionKey] {
					seen[row.PartitionKey] = true
					order.Add(stream.Next(row.PartitionKey, 64))
				}
			}
			way := order.Way()
			oneWay := d.Verdict == keystatistics.AppendOnly || d.Verdict == keystatistics.PrependOnly
			switch {
			case oneWay && way != "" && way != d.Verdict.String(), !d.Hot && way != "":
				t.Errorf("%s, which is %s, is told %q by %+v", d.Name, d.Verdict, way, order)
			case oneWay && way == "" && order.Keys >= 20 && !seen["settings"]:
				t.Errorf("%s, which is %s, is not told by %+v", d.Name, d.Verdict, order)
			case oneWay && way != "":
				told++
			}
		}
	}
	assert.Truef(t, told >= 25, "%d streams are told to go one way; want more, or this test cannot fail", told)
}
