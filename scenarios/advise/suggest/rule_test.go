package suggest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/scenarios"
	"loadgen/scenarios/advise"
	"loadgen/scenarios/run/runtest"
)

func ruled(t *testing.T, partitionKey, operations, expect string) *rule {
	t.Helper()
	s := runtest.Parse(t, fmt.Sprintf(`name: log
attributes:
  at: {time: 2026-03-01T00:00:00Z}
  hour: {text: "{at:hour}"}
  minute: {text: "{at:minute}"}
  source: {uniform: [1, 200]}
  site: {list: [north, south]}
  id: {sequence: 1}
entity: {properties: [{name: Source, value: "{source}"}, {name: Site, value: "{site}"}, {name: Hour, value: "{hour}"}, {name: Minute, value: "{minute}"}, {name: At, type: DateTime, value: "{at}"}, {name: Id, value: "{id}"}]}
design: {partition_key: "%s", row_key: "{id}"}
phases: [{name: load, load: {entities: 10}}, {name: work, traffic: {arrivals: {constant: 60}, for: 2s, operations: [%s]}}]
expect: [%s]
`, partitionKey, operations, expect))
	r, err := newRule(s)
	require.NoError(t, err)
	return r
}

// The dominant question is the most frequent, but that a bounded response time has an
// operation weigh four times as much.
func TestQuestionsInOrder(t *testing.T) {
	const two = "{verb: insert}, {name: often, verb: query, by: [source], weight: 3}, {name: seldom, verb: query, by: [site]}"
	for _, tt := range []struct{ expect, first string }{
		{"", "often"}, {"p99(seldom) < 9ms", "seldom"}, {"p99(often) < 9ms", "often"}, {"p99 < 9ms", "often"}, {"service_p50(seldom) < 9ms", "seldom"},
		{"p99(seldom) > 9ms", "often"}, {"requests(seldom) == operations(seldom)", "often"}, {"lag_p99 < 9ms", "often"},
	} {
		r := ruled(t, "{source}", two, tt.expect)
		if got := r.questions[0].spec.Name; got != tt.first || len(r.questions) != 2 {
			t.Errorf("where %q is expected, %s comes first of %d; want %s of 2", tt.expect, got, len(r.questions), tt.first)
		}
		everybody := tt.expect == "p99 < 9ms"
		assert.Equalf(t, everybody, r.questions[0].needed && r.questions[1].needed,
			"where %q is expected, all are bounded", tt.expect)
		assert.Equal(t, 0.2, r.inserts, "of the operations insert")
	}
}

// What transactions share is what buckets can be chosen by: nothing, perhaps.
func TestBucketsOfTransactions(t *testing.T) {
	for _, tt := range []struct{ partition, operations, want string }{
		{"{source}", "{verb: insert}", "id"},
		{"{source}", "{verb: batch, entities: 2, together: [source]}", "source"},
		{"{hour}", "{verb: batch, entities: 2}", ""},
		{"{site}", "{verb: batch, entities: 2, together: [source, site]}, {name: other, verb: batch, entities: 2, together: [site]}", "site"},
	} {
		assert.Equalf(t, tt.want, ruled(t, tt.partition, tt.operations+", {verb: query, by: [site]}", "").bucketBy,
			"beside %s buckets go by", tt.operations)
	}
}

// Of several times the finest is left, and time comes last; keys that begin with it append.
func TestSetsInOrder(t *testing.T) {
	r := ruled(t, "{source}", "{verb: insert}, {verb: query, by: [source]}", "")
	for _, tt := range []struct {
		set, want []string
		appends   bool
	}{
		{[]string{"hour", "minute"}, []string{"minute"}, true},
		{[]string{"hour", "source"}, []string{"source", "hour"}, false},
		{[]string{"id"}, []string{"id"}, true},
		{[]string{"at", "id", "site"}, []string{"site", "at", "id"}, false},
	} {
		got := r.inOrder(tt.set)
		assert.Truef(t, slices.Equal(got, tt.want) && r.attributes.nature(got[0]).ordered == tt.appends,
			"inOrder(%v) = %v, appends %v; want %v, %v", tt.set, got, r.attributes.nature(got[0]).ordered, tt.want, tt.appends)
	}
}

// Each criterion decides where those before it are equal, whatever those behind say.
func TestOrderOfDesigns(t *testing.T) {
	r := &rule{targets: &advise.Targets{Partition: 100, Account: 1000}}
	same, other := scenarios.Copy{PartitionKey: "{a}"}, scenarios.Copy{PartitionKey: "{b}", Table: "ByB"}
	of := func(hottest float64, unserved int, cost float64, buckets int, copies ...scenarios.Copy) candidate {
		return candidate{draft: draft{parts: parts{buckets: buckets}, design: scenarios.Design{PartitionKey: "{a}", Copies: copies}},
			Candidate: Candidate{Hottest: hottest, Cost: cost}, unserved: unserved}
	}
	list := []candidate{
		of(10, 0, 2, 1), of(20, 0, 2, 1), of(10, 0, 2, 3), of(1, 0, 2, 1, same), of(1, 0, 2, 1, other), of(1, 0, 2, 1, same, same),
		of(1, 0, 5, 1), of(1, 1, 1, 1), of(90, 0, 1, 1),
	}
	for i := range list {
		for j := range list {
			if got := r.better(&list[i], &list[j]); got > 0 != (i > j) || got < 0 != (i < j) {
				t.Errorf("better(%d, %d) = %d; want them in this order", i, j, got)
			}
		}
	}
}
