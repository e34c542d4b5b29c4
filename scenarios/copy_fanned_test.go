package scenarios_test

import (
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// A query asks each bucket by itself unless another home answers it by fewer queries;
// what looks for a key, or stops at some rows, asks once.
func TestPlansOverBuckets(t *testing.T) {
	s, err := scenarios.Parse("log.yaml", []byte(`name: log
attributes:
  day: {list: [mon, tue]}
  site: {list: [a, b]}
  id: {sequence: 1}
design:
  partition_key: "{hash(id,8)}_{day}"
  row_key: "{site}_{id}"
  copies: [{name: fewer, table: Fewer, partition_key: "{hash(id,3)}_{day}", row_key: "{site}_{id}"}]
phases: [{name: load, load: {entities: 10}}]
`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Generator()
	if err != nil {
		t.Fatal(err)
	}
	fewer, err := s.Design.Copies[0].Generator(g)
	if err != nil {
		t.Fatal(err)
	}
	both, alone := []*keys.Generator{g, fewer}, []*keys.Generator{g}
	for _, tt := range []struct {
		sentence      string
		o             scenarios.OperationSpec
		homes         []*keys.Generator
		queries, home int
	}{
		{"each of the buckets", scenarios.OperationSpec{Verb: entity.Query, By: []string{"day"}}, alone, 8, 0},
		{"the home with fewer", scenarios.OperationSpec{Verb: entity.Query, By: []string{"day"}}, both, 3, 1},
		{"some rows", scenarios.OperationSpec{Verb: entity.Query, By: []string{"day"}, Rows: 5}, alone, 1, 0},
		{"the key of an update", scenarios.OperationSpec{Verb: entity.Merge, By: []string{"day"}}, alone, 1, 0},
	} {
		if plan, home := s.Plan(&tt.o, tt.homes); plan.Queries() != tt.queries || home != tt.home {
			t.Errorf("%s: Plan() = %d queries of home %d; want %d of home %d", tt.sentence, plan.Queries(), home, tt.queries, tt.home)
		}
	}
}
