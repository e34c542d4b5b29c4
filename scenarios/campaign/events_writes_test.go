package campaign_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"loadgen/engine/clock"
	"loadgen/engine/entity"
	"loadgen/report/verdict"
	"loadgen/results"
	"loadgen/scenarios"
	"loadgen/scenarios/campaign"
	"loadgen/scenarios/drive"
	"loadgen/target"
)

// unlimited has nothing be throttled.
func unlimited(t testing.TB, s *scenarios.Scenario) *scenarios.Scenario {
	t.Helper()
	for _, path := range []string{"model.partition_target", "model.account_target"} {
		if err := s.Set(path, "0"); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// rows returns every entity of a table.
func rows(t testing.TB, w *world, table string) []target.Row {
	t.Helper()
	var all []target.Row
	op := target.Operation{Verb: entity.Query, Table: table}
	for {
		outcome, _ := w.target.Submit(clock.Instant(1<<50), &op)
		if outcome.Status != 200 {
			t.Fatalf("the table %s was answered %d %s; want 200", table, outcome.Status, outcome.Code)
		}
		all = append(all, outcome.Rows...)
		if op.Query.Token = outcome.Next; !outcome.Next.Present {
			return all
		}
	}
}

// kept returns the State of every entity of a table, by its key.
func kept(t testing.TB, w *world, table string) map[entity.Key]string {
	t.Helper()
	states := map[entity.Key]string{}
	for _, row := range rows(t, w, table) {
		state, _ := row.Entity.Lookup("State")
		states[row.Key] = state.Text()
	}
	return states
}

// Who finds an entity by what it knows of it writes that entity, wherever it found it,
// and its copies; who finds it gone writes none.
func TestWritesReachTheCopies(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct{ name, operation string }{
		{"found by its id, in a copy in the same table", "{verb: merge, by: [id], properties: [{name: State, value: void}]}"},
		{"found by its state, in another table", "{verb: merge, by: [state, id], properties: [{name: State, value: void}]}"},
		{"found by its customer, among others", "{verb: insert-or-merge, by: [customer], properties: [{name: State, value: void}]}"},
		{"known by its key", "{verb: merge, properties: [{name: State, value: void}]}"},
	} {
		for _, verify := range []bool{false, true} {
			s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 5s, operations: ["+row.operation+"]"))
			w := newWorld(t, s, nil)
			record, err := w.run(t, t.Context(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "orders", Keep: true, Verify: verify})
			if err != nil {
				t.Fatal(err)
			}
			here, there := kept(t, w, "orders"), kept(t, w, "ordersByState")
			// The number of those that were written, by home.
			own, numbers, states := 0, 0, 0
			for key, state := range here {
				switch {
				case state != "void":
				case strings.HasPrefix(key.Partition, "id_"):
					numbers++
				default:
					own++
				}
			}
			for _, state := range there {
				if state == "void" {
					states++
				}
			}
			if own < 150 || own != numbers || own != states {
				t.Errorf("%s: %d entities were written, %d and %d of their copies; want as many of each", row.name, own, numbers, states)
			}
			if len(here) != 2*400+1 || len(there) != 400+1 {
				t.Errorf("%s: the tables hold %d and %d entities; want those that were loaded, and the marker", row.name, len(here), len(there))
			}
			if verify && (record.Audit.Acknowledged != 300 || record.Audit.Lost+record.Audit.Overwritten > 0 || record.Audit.Keys != int64(own)) {
				t.Errorf("%s: the audit is %+v; want 300 writes of %d entities, and nothing lost", row.name, record.Audit, own)
			}
		}
	}
}

// Where nothing was loaded, a write of what need not be there writes something new.
func TestUpsertsWithoutALoad(t *testing.T) {
	leftOutWhenShort(t)
	for _, operation := range []string{"{verb: insert-or-replace}", "{verb: insert-or-merge, properties: [{name: State, value: new}]}", "{verb: insert-or-merge, read_first: true, properties: [{name: State, value: new}]}"} {
		design := "copied"
		if strings.Contains(operation, "read_first") {
			design = "customer"
		}
		text := strings.Replace(fmt.Sprintf(orders, design, "arrivals: {constant: 60}, for: 5s, operations: ["+operation+"]"),
			"  - name: load\n    load: {entities: 400, transaction: 100, lanes: 1}\n", "", 1)
		s, err := scenarios.Parse("orders.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t, unlimited(t, s), nil)
		record, err := w.run(t, t.Context(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "orders", Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		own := 0
		for key := range kept(t, w, "orders") {
			if !strings.HasPrefix(key.Partition, "id_") {
				own++
			}
		}
		if own != 300+1 || record.Total(results.Reported).Failed > 0 {
			t.Errorf("%s: %d entities are there; want 300, and the marker", operation, own)
		}
	}
}

// Who looks for an entity that came to nothing, or was deleted, this phase or the one
// before, finds none: that is no failure.
func TestWhatIsNotThereIsNoFailure(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct{ name, first, second string }{
		{"an insert that was throttled", "{verb: insert}, {verb: get, of: latest}, {verb: merge, of: {latest: 5}, properties: [{name: State, value: void}]}", "{verb: get}"},
		{"deleted beside it", "{verb: delete}, {verb: get}, {verb: replace}", "{verb: insert}"},
		{"deleted before", "{verb: delete}", "{verb: get}, {verb: replace}"},
	} {
		text := fmt.Sprintf(orders, "hour", "arrivals: {constant: 200}, for: 5s, operations: ["+row.first+"]") +
			"  - {name: after, traffic: {arrivals: {constant: 50}, for: 3s, operations: [" + row.second + "]}}\n"
		s, err := scenarios.Parse("orders.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Set("retry", "none"); err != nil {
			t.Fatal(err)
		}
		handled := int64(0)
		for i := range s.Phases[1:] {
			for _, phase := range carriedOut(t, s, false, nil).record.Phases {
				for j := range phase.Kinds {
					if phase.Kinds[j].Failed > 0 && phase.Name == s.Phases[1+i].Name {
						t.Errorf("%s: %d attempts of %s failed in the phase %s; want none", row.name, phase.Kinds[j].Failed, s.Phases[1].Operations()[0].Name, phase.Name)
					}
					handled += phase.Kinds[j].Handled
				}
			}
		}
		if handled == 0 {
			t.Errorf("%s: every operation found its entity; want some that did not", row.name)
		}
	}
}

// What a copy does not keep is not merged into it, and what a merge leaves alone it
// leaves alone in the copies.
func TestCopiesKeepWhatTheyKeep(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name, properties string
		// each is how many homes are written.
		each int64
	}{
		{"one copy keeps none of it", "[{name: Note, value: paid}]", 2},
		{"one keeps two of three", `[{name: State, value: void}, {name: Customer, type: Int64, value: "777"}, {name: Note, value: paid}]`, 3},
	} {
		s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 60}, for: 5s, operations: [{verb: merge, properties: "+row.properties+"}]"))
		w := newWorld(t, s, nil)
		record, err := w.run(t, t.Context(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "orders", Keep: true})
		if err != nil {
			t.Fatal(err)
		}
		if k, want := kindOf(t, record, "merge"), 300*row.each; k.Attempts != want || k.Offered != want || k.Served != want {
			t.Errorf("%s: 300 merges took %d attempts and were due to count %d, and counted %d; want %d", row.name, k.Attempts, k.Offered, k.Served, want)
		}
		merged := 0
		for _, table := range []string{"orders", "ordersByState"} {
			for _, one := range rows(t, w, table) {
				_, noted := one.Entity.Lookup("Note")
				_, placed := one.Entity.Lookup("Placed")
				customer, some := one.Entity.Lookup("Customer")
				state, _ := one.Entity.Lookup("State")
				own := table == "orders"
				if some && (placed != own || noted && !own || row.each == 3 && (customer.Int() == 777) != (state.Text() == "void")) {
					t.Fatalf("%s: %v of %s has a note: %v, when it was placed: %v, and the customer %d in the state %q", row.name, one.Key, table, noted, placed, customer.Int(), state.Text())
				}
				if noted || state.Text() == "void" {
					merged++
				}
			}
		}
		if merged < 400 {
			t.Errorf("%s: %d entities and copies were merged; want most", row.name, merged)
		}
	}
}

// kindOf returns what became of a kind of operation in the last phase that is reported.
func kindOf(t testing.TB, r *results.Record, name string) *results.KindStats {
	t.Helper()
	for i := range r.Manifest.Operations {
		for j := len(r.Phases) - 1; j >= 0 && r.Manifest.Operations[i].Name == name; j-- {
			if r.Phases[j].Reported {
				return &r.Phases[j].Kinds[i]
			}
		}
	}
	t.Fatalf("no operation %s was reported", name)
	return nil
}

// An update of what others have deleted does not bring its copies back.
func TestCopiesOfWhatIsGone(t *testing.T) {
	leftOutWhenShort(t)
	for _, verify := range []bool{false, true} {
		s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 100}, for: 20s, drain: 5s, "+
			"operations: [{verb: delete, weight: 3}, {verb: replace}, {verb: merge, by: [customer], properties: [{name: State, value: void}]}]"))
		w := newWorld(t, s, nil)
		if _, err := w.run(t, t.Context(), &drive.Virtual{Target: w.target}, campaign.Options{Scenario: s, Table: "orders", Keep: true, Verify: verify}); err != nil {
			t.Fatal(err)
		}
		own, copied := 0, 0
		for key := range kept(t, w, "orders") {
			if strings.HasPrefix(key.Partition, "id_") {
				copied++
			} else {
				own++
			}
		}
		if others := len(kept(t, w, "ordersByState")); own > 100 || own-1 != copied || own != others {
			t.Errorf("verified %v: %d entities are left, and %d and %d of their copies; want as many", verify, own-1, copied, others-1)
		}
	}
}

// A query with a filter reads no copy that lacks what the filter looks at.
func TestFiltersAskWhereTheyCanBeAnswered(t *testing.T) {
	leftOutWhenShort(t)
	for _, row := range []struct {
		name, operation string
		counted, found  int64
	}{
		{"what the copy keeps", "{verb: query, by: [state, id], where: \"Customer ge 0\"}", 1, 1},
		{"what it does not", "{verb: query, by: [state, id], where: \"Placed ge datetime'2020-01-01T00:00:00Z'\"}", 1, 1},
	} {
		s := unlimited(t, ordered(t, "copied", "arrivals: {constant: 20}, for: 3s, operations: ["+row.operation+"]"))
		k := kindOf(t, carriedOut(t, s, false, nil).record, "query")
		if k.Returned != 60*row.found || k.Offered < 60*row.counted || k.Offered != k.Served {
			t.Errorf("%s: 60 queries were due to count %d, counted %d and returned %d; want %d returned", row.name, k.Offered, k.Served, k.Returned, 60*row.found)
		}
	}
}

// What a phase before has inserted is there for the next: it is chosen and counted.
func TestPhasesOfEventTrafficFollowOneAnother(t *testing.T) {
	leftOutWhenShort(t)
	const first = "arrivals: {constant: 100}, for: 10s, drain: 1s, operations: [{verb: insert, weight: 3}, {verb: batch, entities: 5, together: [customer]}]"
	s, err := scenarios.Parse("orders.yaml", []byte(fmt.Sprintf(orders, "customer", first)+`  - name: between
    load: {entities: 100}
  - name: after
    traffic: {arrivals: {constant: 20}, for: 5s, operations: [{verb: get}, {name: newest, verb: get, of: {latest: 50}}, {name: all, verb: query, class: table-scan}]}
`))
	if err != nil {
		t.Fatal(err)
	}
	r := carriedOut(t, unlimited(t, s), false, nil)
	if open := verdict.Books(r.record); r.ended != nil || len(open) > 0 {
		t.Fatalf("the run ended with %v, its books open: %v", r.ended, open)
	}
	if k := kindOf(t, r.record, "all"); k.Operations == 0 || math.Abs(float64(k.Offered-k.Served)) > 0.01*float64(k.Served) {
		t.Errorf("scans of all phases' entities were due to count %d and counted %d; want the same within 1 %%", k.Offered, k.Served)
	}
	for _, name := range []string{"get", "newest"} {
		if k := kindOf(t, r.record, name); k.Handled > 0 || k.Operations == 0 {
			t.Errorf("%s: %d of %d found nothing; want each to find its entity", name, k.Handled, k.Operations)
		}
	}
}
