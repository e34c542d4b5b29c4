package campaign_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
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
        - {name: alone, workflow: archive-naive, with: {place: archive}, weight: 0}
        - {name: a, workflow: archive-request, with: {place: archive, queue: first}}
        - {name: b, workflow: archive-request, with: {place: archive, queue: second}}
        - {name: work, workflow: archive-work, with: {place: archive, queue: first}}
        - {name: also, workflow: archive-work, with: {place: archive, queue: second}, weight: 0}
`

// What must hold is looked at once for each queue that things go by, and not for each
// operation that goes by it.
func TestChecksAreOfPlaces(t *testing.T) {
	s := parsed(t, queues)
	record := recorded(t, newWorld(t, s, nil).run(t, ofPattern(s)))
	var names []string
	for _, one := range record.Invariants {
		names = append(names, one.Name)
		assert.Truef(t, one.Looked != 0, "%s: nothing was looked at", one.Name)
	}
	messages, entities := "each message was carried out, or put aside", "each loaded entity is in one table, whole"
	if want := []string{messages, messages, entities, entities}; !slices.Equal(names, want) {
		t.Errorf("looked at %q; want %q", names, want)
	}
	for _, one := range record.Invariants {
		assert.EqualValuesf(t, 0, one.Faults, "%s: faults in %d, %q", one.Name, one.Looked, one.Examples)
	}
}
