//go:build live

package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// staff is sixteen clients who add, rename, delete and look up over HTTP: all of a few
// names, so that they meet on the lists.
const staff = `
name: staff
seed: 7
table: staff
start: warm
retry: short
workers: 32
model: {profile: "off"}
attributes:
  department: {list: [Sales, Research]}
  employee: {sequence: 1}
  last: {list: [Jones, Novak, Kim, Silva]}
entity:
  filler: none
  properties: [{name: LastName, value: "{last}"}]
design:
  partition_key: "{department}"
  row_key: "employee {employee:06d}"
  places: [{name: lists, %[1]s}]
phases:
  - name: load
    load: {entities: 100}
  - name: build
    traffic:
      arrivals: {constant: 100}
      for: 1s
      operations: [{name: build, workflow: index-build, with: {%[2]s, attribute: last}}]
  - name: day
    traffic:
      clients: 16
      think: %[4]s
      for: 4s
      operations:
        - {name: hire, workflow: index-add, weight: 25, with: {%[2]s, attribute: last}}
        - {name: marry, workflow: index-rename, weight: 25, with: {%[2]s, attribute: last}}
        - {name: leave, workflow: index-delete, weight: 15, with: {%[2]s, attribute: last}}
        - {name: lookup, workflow: index-lookup, weight: 5, with: {%[3]s, attribute: last}}
%[5]s`

// Over HTTP, with sixteen clients at once, lists of each form agree with their entities.
func TestLiveIndexEntities(t *testing.T) {
	const work = "        - {name: work, workflow: index-work, weight: 60, with: {%s, killed: 5%%}}\n"
	// Where a queue keeps lists, the check works off by itself what is left on it.
	for _, row := range []struct {
		form, think, place string
		kept               bool
	}{
		{"partition", "5ms", `partition_key: "{department}", row_key: "last {last}"`, false},
		{"place", "40ms", `table: Lists, partition_key: "{last}", row_key: list`, true},
		{"blob", "40ms", `partition_key: lists, row_key: "{last}"`, true},
	} {
		t.Run(row.form, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			reading := "form: " + row.form + ", place: lists, property: LastName"
			writing, worker := reading, ""
			if row.kept {
				writing = reading + ", hidden: 3s"
				worker = fmt.Sprintf(work, writing)
			}
			file := filepath.Join(folder, "staff.yaml")
			require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, staff, row.place, writing, reading, row.think, worker), 0o600))
			var stdout, stderr bytes.Buffer
			out := filepath.Join(folder, "run")
			if code := execute(context.Background(), []string{"run", "--no-probe", "--quiet", "--out", out, file}, nil, &stdout, &stderr); code != codeOk {
				t.Fatalf("run = %d\n%s%s", code, &stdout, &stderr)
			}
			record := read(t, out)
			conflicts := int64(0)
			for _, one := range record.Counters {
				t.Logf("%s, %s: %d", one.Operation, one.Name, one.Count)
				if one.Name == "conflicts" {
					conflicts += one.Count
				}
			}
			if len(record.Invariants) != 1 || record.Invariants[0].Faults != 0 || record.Invariants[0].Looked < 200 || conflicts == 0 {
				t.Errorf("%d conflicts, and what was left behind: %+v; want some, no faults, and 200 looked at", conflicts, record.Invariants)
			}
		})
	}
}
