//go:build ci

package series

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// junk is asked for documents by what is the whole RowKey, under a key that tells none.
const junk = `name: junk
seed: 2
retry: none
model: {profile: documented, partition_target: 400, account_target: 4000}
attributes: {tenant: {uniform: [1, 300]}, doc: {sequence: 1}, kind: {list: [a, b, c]}}
entity: {size: 256}
design: {partition_key: "{kind}", row_key: "{doc:09d}"}
phases:
  - {name: load, load: {entities: 1500}}
  - name: work
    traffic: {arrivals: {constant: 200}, for: 5s, operations: [{name: save, verb: insert, weight: 60}, {name: q1, verb: query, by: [doc], weight: 40}]}
expect: [throttled < 1%]
`

// A query by the whole RowKey returns what it asks for and no more, and what is proposed for
// it knows that key, under a name that is not the user's (by, s1).
func TestJunkWinsNothing(t *testing.T) {
	p := contestOf(t, parsed(t, junk), 2)
	p.Suggest = true
	c := contested(t, p)
	ranked, order := rankOf(c.Contest)
	own := ranked["own"]
	assert.Truef(t, own != nil && own.PartitionKey == "{kind}" && order[0] != "own" && strings.Contains(ranked[order[0]].PartitionKey, "{doc}"),
		"the order is %v; want a key that has the document first, and the user's own as it is", order)
	text := strings.NewReplacer("{constant: 200}", "{constant: 2}", "weight: 60", "weight: 0", "throttled < 1%", "returned(q1) == operations(q1)").Replace(junk)
	if sum := simulated(t, parsed(t, text)).Summary; sum.Ok == nil || !*sum.Ok {
		t.Errorf("%+v; want one document for each query", sum.Checks)
	}
}
