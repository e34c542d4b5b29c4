package workflow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// logins returns so many of five users.
func (w *world) logins(count int, given args) []workflow.Workflow {
	return several(count, func(k int) workflow.Workflow {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprint("user ", k%5), Row: fmt.Sprintf("%04d", k)}}}
		return w.op("login", k, given, about)
	})
}

// days returns how many rows of a table begin with each day; nil where there
// is no table.
func (w *world) days(table string) map[string]int {
	found := map[string]int{}
	for q := (target.Query{Range: filter.All()}); ; {
		o := w.do(&target.Operation{Verb: entity.Query, Table: table, Query: q})
		if o.Status == 404 {
			return nil
		}
		for _, row := range o.Rows {
			day, _, _ := strings.Cut(row.Key.Row, "_")
			found[day]++
		}
		if q.Token = o.Next; !q.Token.Present {
			return found
		}
	}
}

// However logins and purges interleave and replies get lost, the days that are due are
// gone, and the others whole: by dropping their tables as by deleting what a scan finds.
func TestPurgeDeletesTheDaysThatAreDue(t *testing.T) {
	for _, row := range []struct{ how, lies string }{{"drop", "day-tables"}, {"transactions", "one-table"}, {"singles", "one-table"}} {
		for seed := range uint64(6) {
			w := newWorld(t)
			w.raceWell(seed, 8, 20, w.logins(400, args{"days": "3", "lies": row.lies}))
			given := args{"days": "2", "how": row.how}
			before := 400
			if row.lies == "one-table" {
				before -= w.days("Test")["0003"]
			}
			// Each day is purged twice at the same time.
			purges := several(4, func(k int) workflow.Workflow { return w.op("purge-day", k, given, thing{}) })
			w.raceWell(seed, 4, 10, purges)
			w.holds("purge-day", given, 2)
			kept := w.days("Test")
			if row.lies == "day-tables" {
				kept = w.days("TestDay0003")
				assert.Truef(t, w.days("TestDay0001") == nil && w.days("TestDay0002") == nil,
					"%s: a table of a purged day is there", row.how)
			}
			assert.Truef(t, len(kept) == 1 && kept["0003"] >= 100,
				"%s: of 400 logins, %v are left by day; want those of day 3 alone", row.how, kept)
			if deleted := total(purges, "deleted"); row.lies == "one-table" && deleted < int64(before) {
				t.Errorf("%s: %d deleted by count; want all %d at least", row.how, deleted, before)
			}
		}
	}
}

// Alone and undisturbed, a purge is one request, or as many as there are users or logins,
// and one scan. A purge that comes late counts nothing, and a day without one is a fault.
func TestPurgeOfADay(t *testing.T) {
	for _, row := range []struct {
		how, lies, counter string
		want               func(day1 int) string
	}{
		{"drop", "day-tables", "dropped", func(int) string { return "map[delete-table:1]" }},
		{"transactions", "one-table", "deleted", func(int) string { return "map[batch:5 query:1]" }},
		{"singles", "one-table", "deleted", func(day1 int) string { return fmt.Sprintf("map[delete:%d query:1]", day1) }},
	} {
		w := newWorld(t)
		w.runAll(w.logins(100, args{"days": "2", "lies": row.lies}))
		day1 := w.days("Test")["0001"]
		given := args{"days": "2", "how": row.how}
		first, late := w.op("purge-day", 0, given, thing{}), begun(w.op("purge-day", 2, given, thing{}))
		if row.how == "singles" {
			w.steps(late, 1) // It has found all, and is overtaken.
		}
		clear(w.requests)
		assert.True(t, w.run(first), row.how)
		assert.Equal(t, row.want(day1), fmt.Sprint(w.requests), row.how)
		assert.EqualValues(t, max(1, day1), counted(first)[row.counter], row.how)
		w.finish(late)
		assert.Zero(t, counted(late.Workflow)[row.counter], row.how)
		found := w.check("purge-day", given)
		assert.Truef(t, found.Looked == 2 && found.Faults == 1 && strings.Contains(found.Examples[0], "day 2 "), "%s: %+v; want a fault of day 2", row.how, found)
	}
}

// Where somebody else deletes a login that a purge has found, the transaction is refused,
// and what is left of it deleted all the same, beside what comes after it.
func TestPurgeGoesOnWhereALoginIsGone(t *testing.T) {
	w := newWorld(t)
	w.runAll(w.logins(600, args{"days": "1", "lies": "one-table"}))
	c := begun(w.op("purge-day", 0, args{"days": "1", "how": "transactions"}, thing{}))
	for step := 0; !c.ended; step++ {
		if gone := (entity.Key{Partition: "user 0", Row: "0001_0010"}); step == 1 {
			w.change(entity.Delete, "Test", gone)
		}
		w.steps(c, 1)
	}
	assert.True(t, c.ok)
	assert.Empty(t, w.days("Test"))
	assert.EqualValues(t, 600, counted(c.Workflow)["deleted"])
}

// A login of a day whose table has an old name waits until that is free, and gives up
// where it never is; of a new name it waits for nothing.
func TestLoginWaitsForTheNameOfADeletedTable(t *testing.T) {
	for _, row := range []struct {
		sentence, names, delay string
		ok                     bool
		made, waited           int64
	}{
		{"an old name that is free after a while", "reused", "40s", true, 1, 1},
		{"an old name that is free at once", "reused", "0", true, 1, 0},
		{"an old name that is never free", "reused", "1h", false, 0, 1},
		{"a name of its own", "unique", "1h", true, 1, 0},
	} {
		w := newModelWorld(t, row.delay)
		given := args{"days": "1", "names": row.names}
		w.run(w.logins(1, given)[0])
		w.run(w.op("purge-day", 0, given, thing{}))
		began := w.now
		given["first"] = "8"
		next := w.logins(1, given)[0]
		assert.Equal(t, row.ok, w.run(next), row.sentence)
		assert.Equal(t, [2]int64{row.made, row.waited}, [2]int64{counted(next)["made"], counted(next)["waited"]}, row.sentence)
		assert.Truef(t, !row.ok || w.requests["create-table"] <= 1+1+10, "%s: %d requests for a table; want one in 5 s", row.sentence, w.requests["create-table"])
		if lasted := w.now.Sub(began); row.ok && (row.waited == 1) != (lasted >= 30*time.Second) || lasted > 10*time.Minute {
			t.Errorf("%s: it took %v", row.sentence, lasted)
		}
	}
}

// The tables that logins make are known beforehand, each by one name.
func TestTablesOfLoginsAreKnown(t *testing.T) {
	kind := workflow.Find("login")
	for _, row := range []struct {
		given args
		want  string
	}{
		{args{"first": "9", "days": "3"}, "[Day0009 Day0010 Day0011]"},
		{args{"first": "9", "days": "3", "names": "reused"}, "[Day0002 Day0003 Day0004]"},
		{args{"days": "3", "lies": "one-table"}, "[]"},
	} {
		assert.Equalf(t, row.want, fmt.Sprint(kind.Tables(kind.Settle(row.given))), "Tables(%v)", row.given)
	}
}
