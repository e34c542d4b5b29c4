//go:build live

package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/model"
	"loadgen/results"
)

// spellings are a text, and what base64 makes of it wherever it begins among other bytes.
func spellings(text string) []string {
	list := []string{text}
	for before := range 3 {
		encoded := base64.RawStdEncoding.EncodeToString([]byte("\x00\x00"[:min(before, 2)] + text))
		// The first and the last characters depend on the bytes beside the text.
		list = append(list, encoded[(before*8+5)/6:len(encoded)-2])
	}
	return list
}

// Whoever listens in between the client and the service hears keys, and no card: neither
// as it is nor in base64. What was loaded before it was sealed is heard, so that the
// listener is none that is deaf.
func TestLiveSealedIsNotHeard(t *testing.T) {
	t.Parallel()
	s := newService(t, model.Off, 0)
	where, err := url.Parse(s.url)
	require.NoError(t, err)
	const first = 400_000_123_456_000
	// heard carries out some of the scenario and tells which orders' cards are heard
	// in which spelling, of how many orders that are there.
	heard := func(table string, more ...string) (cards []string, orders int) {
		e := newSplice(t, where.Host)
		through := *where
		through.Host = e.Addr().String()
		var stdout, stderr bytes.Buffer
		args := append([]string{"run", "client-side-encryption", "--target", through.String(), "--key-file", s.keyFile, "--yes", "--keep",
			"--table", table, "--out", t.TempDir(), "--set", "phases.load.entities=3", "--set", "phases.shop.for=2s", "--set", "phases.seal.for=1s"}, more...)
		if code := execute(context.Background(), args, nil, &stdout, &stderr); code != codeOk {
			t.Fatalf("run %v = %d\n%s%s", args, code, &stdout, &stderr)
		}
		for key := range s.engine.Entities("races", table) {
			if key == (entity.Key{Partition: "~loadgen", Row: "marker"}) {
				continue
			}
			orders++
			assert.Truef(t, e.has(key.Row), "order %s is in the table, and was not heard", key.Row)
			var number int64
			if _, err := fmt.Sscan(key.Row, &number); err != nil {
				t.Fatal(err)
			}
			for _, spelling := range spellings(fmt.Sprint(first + number - 100_000)) {
				if e.has(spelling) {
					cards = append(cards, key.Row)
				}
			}
		}
		slices.Sort(cards)
		return cards, orders
	}

	// A look for a card has it in its $filter, so that there is none here.
	const quiet = "phases.shop.operations=[{name: order, workflow: seal-put, with: {property: Card%s}, weight: 5}, " +
		"{name: look, workflow: seal-get, with: {property: Card}, weight: 6}]"
	claims := []string{"--set", "expect=[violations == 0]"}
	cards, orders := heard("loadgenSealed", append(claims, "--set", fmt.Sprintf(quiet, ""))...)
	assert.Truef(t, fmt.Sprint(cards) == "[100000 100001 100002]" && orders >= 30,
		"of %d orders the cards of %v are heard; want those of the three that were loaded as they are", orders, cards)
	cards, orders = heard("loadgenClear", append([]string{"--set", "expect=[violations > 0]"}, "--set", fmt.Sprintf(quiet, ", sealed: false"))...)
	assert.Len(t, cards, orders, "cards that are heard where they are stored unsealed; want that of every order")
}

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

// TestLiveArchive moves employees over the wire, with workers that die after each of
// their steps in turn: whoever dies, each employee is in one table in the end, whole.
func TestLiveArchive(t *testing.T) {
	for _, after := range []string{"received", "read", "copied", "deleted"} {
		t.Run(after, func(t *testing.T) {
			t.Parallel()
			var stdout, stderr bytes.Buffer
			code := execute(context.Background(), []string{"run", "eventual-transaction", "--quiet", "--format", "json", "--out", t.TempDir(),
				"--set", "phases.leave.for=4s",
				"--set", "phases.leave.operations=" + fmt.Sprintf(`[
					{name: request, workflow: archive-request, weight: 15, with: {place: archive}},
					{name: work, workflow: archive-work, weight: 30, with: {place: archive, hidden: 1s, killed: 30%%, after: %s}},
					{name: look, workflow: archive-look, weight: 15, with: {place: archive}}]`, after),
				"--set", "expect=[violations == 0, 'counter(look, neither) == 0', 'counter(work, killed) > 10', 'counter(work, again) > 10', 'counter(work, moved) > 20']",
			}, nil, &stdout, &stderr)
			var s results.Summary
			if err := json.Unmarshal(stdout.Bytes(), &s); err != nil {
				t.Fatalf("the run ended with %d: %v\n%s", code, err, &stderr)
			}
			for _, e := range s.Checks {
				t.Logf("%s: observed %s", e.Expr, e.Observed)
				assert.Truef(t, e.Holds(), "workers die after %s: %s: observed %s; want it to hold", after, e.Expr, e.Observed)
			}
			assert.Truef(t, len(s.Checks) == 5 && code == codeOk,
				"the run ended with %d and %d expectations; want 0 and five\n%s", code, len(s.Checks), &stderr)
		})
	}
}

// Whole scenarios that use queues and blobs come, behind a socket and in real time, to
// what they claim of what they leave behind.
func TestStoresLive(t *testing.T) {
	for _, s := range furnished(t) {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			record := asLive(t, s, t.TempDir(), curtailed(s, 10*time.Second)...)
			if !slices.Contains(s.Expect, "violations == 0") {
				return
			}
			leftSound(t, record)
		})
	}
}
