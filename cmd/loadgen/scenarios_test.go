package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/report/document"
	"loadgen/scenarios"
)

// twoDesigns is a scenario with a choice: spread out it holds, by event it does not.
const twoDesigns = `name: choice
about: >-
  Spread over its bibs the load holds.
  By event it does not.
seed: 7
workers: 64
retry: none
model: {profile: documented, partition_target: 100}
attributes:
  event: {list: [NYC]}
  bib: {sequence: 1}
entity: {size: 300, filler: Notes}
use: by-bib
designs:
  - {name: by-event, partition_key: "{event}", row_key: "{bib}"}
  - {name: by-bib, partition_key: "{bib}", row_key: "{event}-{bib}"}
phases:
  - name: load
    load: {entities: 100, lanes: 4}
  - name: measure
    traffic:
      arrivals: {constant: 300}
      for: 2s
      drain: 0s
      operations: [{verb: get}]
expect:
  - throttled < 1%
  - offered(hottest) < 100
anti_pattern:
  about: All of an event
    in one partition.
  set: {use: by-event}
`

// choiceIn writes that scenario into an empty folder, which the test then runs in.
func choiceIn(t *testing.T) {
	t.Helper()
	t.Chdir(t.TempDir())
	put(t, map[string]string{"choice.yaml": twoDesigns})
}

// Scenarios stand under their subjects; what was searched for, in the order in which it was
// found.
func TestListIsInTheDocumentsOrder(t *testing.T) {
	subjects := scenarios.Subjects()
	all := []scenarios.Entry{{Name: "z", Subject: subjects[1]}, {Name: "stress", Subject: subjects[0]}, {Name: "a", Subject: subjects[1]}}
	for _, row := range []struct {
		subjects []string
		want     []string
	}{
		{subjects[:2], []string{"subject-1 stress", "subject-2 z", "subject-2 a"}},
		{nil, []string{"found z", "found stress", "found a"}},
	} {
		var got []string
		for _, section := range listed(all, row.subjects).Sections {
			for _, one := range section.Blocks[0].(document.Table).Rows {
				got = append(got, section.ID+" "+one[0].Text)
			}
		}
		assert.Truef(t, slices.Equal(got, row.want), "under %v the list is %q; want %q", row.subjects, got, row.want)
	}
}
