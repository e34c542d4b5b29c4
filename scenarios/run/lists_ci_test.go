//go:build ci

package run_test

import (
	"fmt"
	"strings"
	"testing"

	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/run"
)

// growing is a list of those who are called Smith, in a form, of employees whose keys have so
// many times 64 characters.
type growing struct {
	form           string
	partition, row int
}

// room returns how many entries a list has at most. The rule: an entity has 1 MiB, its key 4
// bytes and 2 for each character, a property 8, 2 for each letter of its name, and 4 and
// one for each byte of a Binary, of which it has 64 KiB at most. A list is called by its property
// and value, and has each id behind a line end: the RowKey of an entity of its own partition,
// the PartitionKey, a tab and the RowKey of any other.
func (g growing) room() int {
	id, key := g.row*64, 64*g.partition+len("last Smith")
	if g.form != "partition" {
		id, key = id+1+g.partition*64, len("by-name")+len("last Smith")
	}
	for n := 1; ; n++ {
		text := len("LastName\tSmith") + n*(1+id)
		size := 4 + 2*key
		for part, left := 1, text; left > 0; part++ {
			name := "Ids"
			if part > 1 {
				name = fmt.Sprintf("Ids%02d", part)
			}
			size += 8 + 2*len(name) + 4 + min(left, 64<<10)
			left -= 64 << 10
		}
		if size > 1<<20 {
			return n - 1
		}
	}
}

func (g growing) scenario(t *testing.T, loaded, hired int) *scenarios.Scenario {
	t.Helper()
	place, with, work := "by-name", "form: "+g.form+", place: lists, property: LastName, hidden: 3s", ""
	if g.form == "partition" {
		place = strings.Repeat("{department:064d}", g.partition)
	} else {
		work = fmt.Sprintf("  - {name: after, traffic: {clients: 1, count: %d, operations: [{name: work, workflow: index-work, with: {%s}}]}}\n", hired+5, with)
	}
	s, err := scenarios.Parse("lists.yaml", fmt.Appendf(nil, `name: lists
seed: 3
retry: short
attributes: {department: {list: ["7"]}, employee: {sequence: 1}, last: {list: [Smith]}}
entity: {size: 2300, filler: none, properties: [{name: LastName, value: "{last}"}]}
design:
  partition_key: "%s"
  row_key: "%s"
  places: [{name: lists, partition_key: "%s", row_key: "last {last}"}]
phases:
  - {name: load, load: {entities: %d}}
  - {name: build, traffic: {clients: 1, count: %d, operations: [{name: build, workflow: index-build, with: {%s, attribute: last}}]}}
  - {name: hiring, traffic: {clients: 1, count: %d, operations: [{name: hire, workflow: index-add, with: {%s, attribute: last, announced: last}}]}}
%s`, strings.Repeat("{department:064d}", g.partition), strings.Repeat("{employee:064d}", g.row), place, loaded, loaded, with, hired, with, work))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A list that is an entity takes what 1 MiB has room for. In the partition of its employees
// nobody is hired from then on, and all is as it must be; in one of its own who is hired is in
// no list; a blob takes all.
func TestListsOfOneMebibyte(t *testing.T) {
	const left, hired = 4, 11
	for _, g := range []growing{{"partition", 1, 8}, {"partition", 2, 7}, {"place", 8, 8}, {"place", 7, 8}, {"blob", 8, 8}, {"blob", 7, 8}} {
		room := g.room()
		record, err := run.Run(t.Context(), run.Plan{Scenario: g.scenario(t, room-left, hired), Data: true})
		if err != nil {
			t.Fatal(err)
		}
		counters, faults := make(map[string]int64), int64(0)
		for _, one := range record.Counters {
			counters[one.Operation+" "+one.Name] += one.Count
		}
		for _, one := range record.Invariants {
			faults += one.Faults
		}
		hires := record.Total(func(_ *results.Phase, k results.Kind) bool { return k.Name == "hire" })
		want := struct{ hired, full, worker, faults int64 }{hired, 0, 0, 0}
		switch g.form {
		case "partition":
			want.hired, want.full = left, hired-left
		case "place":
			want.worker, want.faults = hired-left, hired-left
		}
		if hires.Succeeded != want.hired || counters["hire full"] != want.full || counters["work full"] != want.worker || faults != want.faults {
			t.Errorf("%+v, with room for %d: %d hired, %d met a full list, workers %d, %d faults; want %+v",
				g, room, hires.Succeeded, counters["hire full"], counters["work full"], faults, want)
		}
	}
}
