package scenarios_test

import (
	"testing"

	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// Who asks is sent to the home whose keys serve it best: by class, and of one class by
// how much of what is known they tell.
func TestPlanTakesTheHomeThatServesBest(t *testing.T) {
	s, err := scenarios.Parse("race.yaml", []byte(`name: race
attributes:
  race: {list: [NYC]}
  bib: {sequence: 100}
  club: {uniform: [1, 9]}
  age: {uniform: [18, 80]}
entity: {properties: [{name: Age, type: Int32, value: "{age}"}]}
design:
  partition_key: "{race}"
  row_key: "BIB:{bib}_{age}"
  copies:
    - {name: by-age, partition_key: "{race}", row_key: "AGE:{age}_{bib}"}
    - {name: by-club, partition_key: "{club}", row_key: "{bib}", properties: [Age]}
phases:
  - name: load
    load: {entities: 10}
`))
	if err != nil {
		t.Fatal(err)
	}
	g, err := s.Generator()
	if err != nil {
		t.Fatal(err)
	}
	homes := []*keys.Generator{g}
	for i := range s.Design.Copies {
		one, err := s.Design.Copies[i].Generator(g)
		if err != nil {
			t.Fatal(err)
		}
		homes = append(homes, one)
	}
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
