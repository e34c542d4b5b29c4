package scenarios_test

import (
	"github.com/stretchr/testify/require"

	"testing"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// homesOf returns the generators of a scenario's own keys and of its copies.
func homesOf(t *testing.T, s *scenarios.Scenario) []*keys.Generator {
	t.Helper()
	g, err := s.Generator()
	require.NoError(t, err)
	homes := []*keys.Generator{g}
	for i := range s.Design.Copies {
		one, err := s.Design.Copies[i].Generator(g)
		require.NoError(t, err)
		homes = append(homes, one)
	}
	return homes
}

// Who asks is sent to the home whose keys serve it best: by class, and of one class by
// how much of what is known they tell.
func TestPlanTakesTheHomeThatServesBest(t *testing.T) {
	s := parsed(t, edited(t, "copies.yaml"))
	homes := homesOf(t, s)
	for _, row := range []struct {
		sentence string
		by       []string
		home     int
		class    filter.Class
	}{
		{"the number begins the entity's own rows", []string{"race", "bib"}, 0, filter.ClassRowRange},
		{"the age those of a copy", []string{"race", "age"}, 1, filter.ClassRowRange},
		{"of homes that tell as much, the first", []string{"race"}, 0, filter.ClassRowRange},
		{"a better class goes before more that is told", []string{"race", "age", "club", "bib"}, 0, filter.ClassPoint},
		{"a point goes before a range", []string{"race", "club", "bib"}, 2, filter.ClassPoint},
	} {
		if plan, home := s.Plan(&scenarios.OperationSpec{By: row.by}, homes); home != row.home || plan.Class != row.class {
			t.Errorf("%s: Plan(%v) = a %v of home %d; want a %v of home %d", row.sentence, row.by, plan.Class, home, row.class, row.home)
		}
	}
}

// A query asks each bucket by itself unless another home answers it by fewer queries;
// what looks for a key, or stops at some rows, asks once.
func TestPlansOverBuckets(t *testing.T) {
	s := parsed(t, edited(t, "visits.yaml", `"{page}", row_key: "{at:ticks}_{id}"`, `"{hash(id,8)}_{page}", row_key: "{id}",
    copies: [{name: fewer, table: Fewer, partition_key: "{hash(id,3)}_{page}", row_key: "{id}"}]`))
	both := homesOf(t, s)
	for _, tt := range []struct {
		sentence      string
		o             scenarios.OperationSpec
		homes         []*keys.Generator
		queries, home int
	}{
		{"each of the buckets", scenarios.OperationSpec{Verb: entity.Query}, both[:1], 8, 0},
		{"the home with fewer", scenarios.OperationSpec{Verb: entity.Query}, both, 3, 1},
		{"some rows", scenarios.OperationSpec{Verb: entity.Query, Rows: 5}, both[:1], 1, 0},
		{"the key of an update", scenarios.OperationSpec{Verb: entity.Merge}, both[:1], 1, 0},
	} {
		tt.o.By = []string{"page"}
		if plan, home := s.Plan(&tt.o, tt.homes); plan.Queries() != tt.queries || home != tt.home {
			t.Errorf("%s: Plan() = %d queries of home %d; want %d of home %d", tt.sentence, plan.Queries(), home, tt.queries, tt.home)
		}
	}
}
