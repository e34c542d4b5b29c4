package workflow_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"loadgen/engine"
	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/engine/model"
	"loadgen/scenarios/workflow"
	"loadgen/target"
	"loadgen/target/queueblob"
)

// logins returns so many of five users.
func logins(t *testing.T, s *workflow.Setting, count int, given map[string]string) []workflow.Workflow {
	var all []workflow.Workflow
	for k := range count {
		about := thing{number: uint64(k), keys: map[string]entity.Key{"": {Partition: fmt.Sprint("user ", k%5), Row: fmt.Sprintf("%04d", k)}}}
		all = append(all, perform(t, s, "login", uint64(k), given, about))
	}
	return all
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
			s := w.setting(nil)
			written := logins(t, s, 400, map[string]string{"days": "3", "lies": row.lies})
			for k, ok := range w.race(seed, 8, 20, written) {
				if !ok {
					t.Fatalf("%s: login %d did not end well", row.how, k)
				}
			}
			given := map[string]string{"days": "2", "how": row.how}
			before := 400
			if row.lies == "one-table" {
				before -= w.days("Test")["0003"]
			}
			var purges []workflow.Workflow
			for k := range uint64(4) {
				// Each day is purged twice at the same time.
				purges = append(purges, perform(t, s, "purge-day", k, given, thing{}))
			}
			for k, ok := range w.race(seed, 4, 10, purges) {
				if !ok {
					t.Errorf("%s: purge %d did not end well", row.how, k)
				}
			}
			w.holds(workflow.Find("purge-day").Check(s, workflow.Find("purge-day").Settle(given)), 2)
			kept := w.days("Test")
			if row.lies == "day-tables" {
				kept = w.days("TestDay0003")
				if w.days("TestDay0001") != nil || w.days("TestDay0002") != nil {
					t.Errorf("%s: a table of a purged day is there", row.how)
				}
			}
			if len(kept) != 1 || kept["0003"] < 100 {
				t.Errorf("%s: of 400 logins, %v are left by day; want those of day 3 alone", row.how, kept)
			}
			deleted := int64(0)
			for _, p := range purges {
				deleted += counted(p)["deleted"]
			}
			if row.lies == "one-table" && deleted < int64(before) {
				t.Errorf("%s: %d deleted by count; want all %d at least", row.how, deleted, before)
			}
		}
	}
}

// Alone and undisturbed, a purge is one request, or as many as there are users or logins,
// and one scan.
func TestPurgeTakesAsManyRequests(t *testing.T) {
	for _, row := range []struct {
		how, lies string
		want      func(day1 int) string
	}{
		{"drop", "day-tables", func(int) string { return "map[delete-table:1]" }},
		{"transactions", "one-table", func(int) string { return "map[batch:5 query:1]" }},
		{"singles", "one-table", func(day1 int) string { return fmt.Sprintf("map[delete:%d query:1]", day1) }},
	} {
		w := newWorld(t)
		s := w.setting(nil)
		for _, p := range logins(t, s, 100, map[string]string{"days": "2", "lies": row.lies}) {
			w.run(p)
		}
		day1 := w.days("Test")["0001"]
		clear(w.requests)
		purge := perform(t, s, "purge-day", 0, map[string]string{"days": "2", "how": row.how}, thing{})
		if !w.run(purge) || fmt.Sprint(w.requests) != row.want(day1) {
			t.Errorf("%s: %v; want %s", row.how, w.requests, row.want(day1))
		}
		if got, want := counted(purge)["deleted"], int64(day1); got != want {
			t.Errorf("%s: %d deleted; want %d", row.how, got, want)
		}
	}
}

// Where somebody else deletes a login that a purge has found, the transaction is refused,
// and what is left of it deleted all the same, beside what comes after it.
func TestPurgeGoesOnWhereALoginIsGone(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	for _, p := range logins(t, s, 600, map[string]string{"days": "1", "lies": "one-table"}) {
		w.run(p)
	}
	c := begun(perform(t, s, "purge-day", 0, map[string]string{"days": "1", "how": "transactions"}, thing{}))
	for step := 0; !c.ended; step++ {
		if gone := (entity.Key{Partition: "user 0", Row: "0001_0010"}); step == 1 {
			w.do(&target.Operation{Verb: entity.Delete, Table: "Test", Change: entity.Change{Verb: entity.Delete, Key: gone, Match: entity.MatchAny}})
		}
		request := c.request
		c.tell(w, w.do(&request))
	}
	if left := w.days("Test"); !c.ok || len(left) > 0 || counted(c.Workflow)["deleted"] != 600 {
		t.Errorf("ended well %v, %v left, %v; want all 600 gone", c.ok, left, counted(c.Workflow))
	}
}

// A purge that was never carried out is a fault for each day.
func TestWhatWasNotPurgedIsFound(t *testing.T) {
	for _, row := range []struct{ how, lies string }{{"drop", "day-tables"}, {"singles", "one-table"}} {
		w := newWorld(t)
		s := w.setting(nil)
		for _, p := range logins(t, s, 60, map[string]string{"days": "3", "lies": row.lies}) {
			w.run(p)
		}
		given := map[string]string{"days": "3", "how": row.how}
		w.run(perform(t, s, "purge-day", 1, given, thing{}))
		check := workflow.Find("purge-day").Check(s, workflow.Find("purge-day").Settle(given))
		w.run(check)
		if found := check.Findings(); found.Looked != 3 || found.Faults != 2 || !strings.Contains(found.Examples[0], "day 1 ") {
			t.Errorf("%s: %+v; want faults of days 1 and 3", row.how, found)
		}
	}
}

// delayed is a world in which the name of a deleted table is kept back.
func delayed(t *testing.T, delay string) *world {
	m, err := model.New(model.Off)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Set("name_delay", delay); err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Model: m, Accounts: []string{"a"}, Calendar: clock.Epoch(time.Unix(1_400_000_000, 0))})
	return &world{t: t, target: queueblob.NewVirtual(target.NewInProcess(e, "a", nil), queueblob.NewMemory()), requests: map[string]int{}}
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
		w := delayed(t, row.delay)
		s := w.setting(nil)
		given := map[string]string{"days": "1", "names": row.names}
		w.run(logins(t, s, 1, given)[0])
		w.run(perform(t, s, "purge-day", 0, given, thing{}))
		began := w.now
		given["first"] = "8"
		next := logins(t, s, 1, given)[0]
		if ok, counts := w.run(next), counted(next); ok != row.ok || counts["made"] != row.made || counts["waited"] != row.waited {
			t.Errorf("%s: ended well %v, %v; want %v, %d made, %d waited", row.sentence, ok, counts, row.ok, row.made, row.waited)
		}
		if asked := w.requests["create-table"]; row.ok && asked > 1+1+10 {
			t.Errorf("%s: %d requests for a table within %v; want no more than one in 5 s", row.sentence, asked, row.delay)
		}
		if lasted := w.now.Sub(began); row.ok && (row.waited == 1) != (lasted >= 30*time.Second) || lasted > 10*time.Minute {
			t.Errorf("%s: it took %v", row.sentence, lasted)
		}
	}
}

// The tables that logins make are known beforehand, each by one name.
func TestTablesOfLoginsAreKnown(t *testing.T) {
	kind := workflow.Find("login")
	for _, row := range []struct {
		given map[string]string
		want  string
	}{
		{map[string]string{"first": "9", "days": "3"}, "[Day0009 Day0010 Day0011]"},
		{map[string]string{"first": "9", "days": "3", "names": "reused"}, "[Day0002 Day0003 Day0004]"},
		{map[string]string{"days": "3", "lies": "one-table"}, "[]"},
	} {
		if got := fmt.Sprint(kind.Tables(kind.Settle(row.given))); got != row.want {
			t.Errorf("Tables(%v) = %s; want %s", row.given, got, row.want)
		}
	}
}

// What was gone already counts for whoever deleted it, and not for a purge that comes late.
func TestPurgesCountWhatTheyDelete(t *testing.T) {
	for _, row := range []struct {
		how, lies, counter string
		want               int64
	}{{"drop", "day-tables", "dropped", 1}, {"singles", "one-table", "deleted", 40}, {"transactions", "one-table", "deleted", 40}} {
		w := newWorld(t)
		s := w.setting(nil)
		for k, ok := range w.race(1, 1, 0, logins(t, s, 40, map[string]string{"days": "1", "lies": row.lies})) {
			if !ok {
				t.Fatalf("login %d did not end well", k)
			}
		}
		given := map[string]string{"days": "1", "how": row.how}
		first, second := begun(perform(t, s, "purge-day", 0, given, thing{})), perform(t, s, "purge-day", 1, given, thing{})
		if row.how == "singles" {
			// The first has found all, and is overtaken by the second.
			first.tell(w, w.do(&first.request))
		}
		w.run(second)
		for !first.ended {
			request := first.request
			first.tell(w, w.do(&request))
		}
		if late, all := counted(first.Workflow)[row.counter], counted(second)[row.counter]; late != 0 || all != row.want {
			t.Errorf("%s: %d and %d %s; want %d, all of them by the one that was there first", row.how, all, late, row.counter, row.want)
		}
	}
}
