//go:build ci

package series

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/report/compare/contest"
	"loadgen/results"
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
	sum := simulated(t, parsed(t, text)).Summary
	assert.Truef(t, sum.Ok != nil && *sum.Ok, "%+v; want one document for each query", sum.Checks)
}

// race is a table of results that come in and are read, whose every design fails a check.
const race = `name: race
seed: 1
retry: short
model: {profile: documented, partition_target: 100, account_target: 1000}
attributes:
  year: {list: ["2014"]}
  division: {list: [Mopen, Fopen, M40, M45], weights: [46, 20, 20, 14]}
  bib: {sequence: 1}
entity: {size: 400, properties: [{name: Year, value: "{year}"}, {name: Division, value: "{division}"}]}
use: by-year
designs:
  - {name: by-year, partition_key: "{year}", row_key: "{bib:08d}"}
  - {name: by-division, partition_key: "{year}__{division}", row_key: "{bib:08d}"}
  - {name: by-hash, partition_key: "{hash(bib,64):02d}", row_key: "{bib:08d}"}
phases:
  - {name: load, load: {entities: 300}}
  - name: race
    traffic:
      arrivals: {poisson: 420}
      for: 6s
      operations: [{name: finish, verb: insert, weight: 90}, {name: look-up, verb: get, weight: 10}]
expect: [throttled < 1%, p50(look-up) < 1ms, offered(hottest) < 100]
`

// Where no design holds the checks that leads, and the one that holds most comes first,
// whatever it serves (raceday).
func TestNoneOfTheRaceHoldsItsChecks(t *testing.T) {
	c := contested(t, contestOf(t, parsed(t, race), 2))
	_, order := rankOf(c.Contest)
	a := contest.Document(c.Contest).Answer
	assert.Truef(t, c.Winner == nil && c.State == results.DoesNotHold && order[0] == "by-hash" && strings.Contains(a.Claim, "NONE OF 3 DESIGNS"),
		"%q, %s, %v; want that none of three holds, and by-hash first", a.Claim, c.State, order)
	// What it takes for the checks is said, and what each fails by.
	assert.Contains(t, strings.Join(a.Says, " "), "by-hash")
	assert.Truef(t, strings.Contains(c.Ranking[2].Reason, "throttled < 1%") || len(c.Ranking[2].Expected) == 3,
		"%+v; want the checks", c.Ranking[2])
}

// The documents' granularities, of one application: several values win, one value and uneven
// ones are throttled where much is asked, and unique values cannot change two orders together.
func TestGranularitiesOfOneApplication(t *testing.T) {
	c := contested(t, contestOf(t, builtin(t, "granularity"), 2))
	ranked, order := rankOf(c.Contest)
	require.Truef(t, c.Winner != nil && order[0] == "several-values" && len(ranked) == 4,
		"the order is %v, of %d; want several values first of four", order, len(ranked))
	for name, says := range map[string]string{"one-value": `partition "orders"`, "uneven-values": `partition "web"`, "unique-values": "cannot serve pair"} {
		one := ranked[name]
		assert.Truef(t, one != nil && strings.Contains(one.Reason, says), "%s: %+v; want %q for a reason", name, one, says)
	}
}
