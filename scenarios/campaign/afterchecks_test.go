package campaign_test

import (
	"slices"
	"testing"

	"loadgen/scenarios"
)

// queues is a scenario whose employees leave by one of two queues.
const queues = `name: queues
seed: 3
retry: none
table: staff
attributes:
  employee: {sequence: 1}
entity: {filler: none, properties: [{name: Name, value: "{employee}"}]}
design:
  partition_key: "{employee}"
  row_key: employee
  places:
    - {name: archive, table: Archive, partition_key: "{employee}", row_key: employee}
phases:
  - name: load
    load: {entities: 200}
  - name: leave
    traffic:
      arrivals: {constant: 60}
      for: 3s
      operations:
        - {name: a, workflow: archive-request, with: {place: archive, queue: first}}
        - {name: b, workflow: archive-request, with: {place: archive, queue: second}}
        - {name: work, workflow: archive-work, with: {place: archive, queue: first}}
        - {name: also, workflow: archive-work, with: {place: archive, queue: second}, weight: 0}
`

// What must hold is looked at once for each queue that things go by, and not for each
// operation that goes by it.
func TestChecksAreOfPlaces(t *testing.T) {
	s, err := scenarios.Parse("queues.yaml", []byte(queues))
	if err != nil {
		t.Fatal(err)
	}
	r := performed(t, s, false)
	if r.ended != nil {
		t.Fatal(r.ended)
	}
	var names []string
	for _, one := range r.record.Invariants {
		names = append(names, one.Name)
		if one.Looked == 0 {
			t.Errorf("%s: nothing was looked at", one.Name)
		}
	}
	if len(names) != 2 || len(slices.Compact(names)) != 1 {
		t.Errorf("looked at %q; want the same of both queues", names)
	}
	// The second check finds what the first could not know of carried out.
	if last := r.record.Invariants[1]; last.Faults != 0 {
		t.Errorf("once both queues are empty: %d faults in %d, %q; want none", last.Faults, last.Looked, last.Examples)
	}
}
