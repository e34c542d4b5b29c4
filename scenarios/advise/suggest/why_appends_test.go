package suggest_test

import (
	"slices"
	"strings"
	"testing"

	"loadgen/scenarios"
	"loadgen/scenarios/advise/suggest"
)

// Where inserts are few a key that appends may be proposed, and says that it does.
func TestAKeyThatAppendsSaysSo(t *testing.T) {
	s, err := scenarios.Parse("log.yaml", []byte(`name: log
attributes:
  at: {time: 2026-03-01T08:00:00Z, every: 10s, speed: 60}
  day: {text: "{at:day}"}
  source: {uniform: [1, 9]}
  id: {sequence: 1}
entity: {size: 200, filler: Notes, properties: [{name: Day, value: "{day}"}]}
design: {partition_key: "{id}", row_key: "{id}"}
phases:
  - {name: load, load: {entities: 2000, transaction: 1}}
  - name: look
    traffic:
      arrivals: {constant: 20}
      for: 10s
      operations:
        - {name: note, verb: insert, weight: 1}
        - {name: of-a-day, verb: query, by: [day], weight: 99, top: 10, pages: 1}
`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := suggest.Designs(s, suggest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range p.Candidates {
		appends := strings.HasPrefix(c.Design.PartitionKey, "{day}") && c.Buckets == 1
		says := slices.ContainsFunc(c.Why, func(why string) bool { return strings.Contains(why, "It appends") })
		if appends != says {
			t.Errorf("%s, %d buckets: says that it appends: %t; want %t, in %q", c.Design.PartitionKey, c.Buckets, says, appends, c.Why)
		}
	}
	if !slices.ContainsFunc(p.Candidates, func(c suggest.Candidate) bool {
		return strings.HasPrefix(c.Design.PartitionKey, "{day}") && c.Buckets == 1
	}) {
		t.Errorf("the candidates are %+v; want the day among them", p.Candidates)
	}
}
