package workflow_test

import (
	"fmt"
	"slices"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// store writes what entities have where they lie.
func (w *world) store(table string, list ...thing) {
	w.t.Helper()
	for _, one := range list {
		c := entity.Change{Verb: entity.InsertOrReplace, Key: one.keys[""], Properties: one.Properties()}
		if o := w.do(&target.Operation{Verb: c.Verb, Table: table, Change: c}); o.Status >= 300 {
			w.t.Fatalf("storing %v: %d %s", c.Key, o.Status, o.Code)
		}
	}
	clear(w.requests)
}

// get returns an entity, and whether it is there.
func (w *world) get(table string, key entity.Key) (entity.Packed, bool) {
	o := w.do(&target.Operation{Verb: entity.Get, Table: table, Change: entity.Change{Verb: entity.Get, Key: key}})
	return o.Entity, o.Status == 200
}

// worker is an employee of a department, as tests have them.
func worker(n int, department string, further ...entity.Property) thing {
	return thing{number: uint64(n),
		keys: map[string]entity.Key{"": {Partition: department, Row: fmt.Sprintf("%04d", n)}, "department": {Partition: department, Row: "department"},
			"badge": {Partition: department, Row: fmt.Sprint("badge ", n)}},
		values: map[string]string{"kind": []string{"Employee", "Customer"}[n%2]},
		properties: append([]entity.Property{{Name: "Employee", Value: entity.String(fmt.Sprint(n))}, {Name: "Department", Value: entity.String(department)},
			{Name: "Salary", Value: entity.Int32(int32(100 + n))}}, further...)}
}

// subjects returns things as what was loaded.
func subjects(list []thing) (all []workflow.Subject) {
	for _, one := range list {
		all = append(all, one)
	}
	return all
}

func TestReadsOfWhatBelongsTogether(t *testing.T) {
	badge := entity.Property{Name: "Badge", Value: entity.String("badge 1")}
	linked, lone, lost := worker(1, "a", badge), worker(2, "a"), worker(3, "a", entity.Property{Name: "Badge", Value: entity.String("none")})
	for _, row := range []struct {
		says    string
		kind    string
		k       uint64
		given   map[string]string
		about   thing
		sends   []string
		missing int64
	}{
		{"what lies at a place is one read", "read-linked", 0, map[string]string{"from": "badge"}, linked, []string{"get badges"}, 0},
		{"what is not there is missing", "read-linked", 0, map[string]string{"from": "badge"}, lone, []string{"get badges"}, 1},
		{"behind a link it is two", "read-linked", 0, map[string]string{"link": "Badge", "to": "badge"}, linked, []string{"get", "get badges"}, 0},
		{"without the link nobody knows where to go on", "read-linked", 0, map[string]string{"link": "Badge", "to": "badge"}, lone, []string{"get"}, 1},
		{"a link can lead nowhere", "read-linked", 0, map[string]string{"link": "Badge", "to": "badge"}, lost, []string{"get", "get badges"}, 1},
		{"what is in the partition is one query", "read-together", 0, map[string]string{"place": "department"}, linked, []string{"query"}, 0},
		{"another table is a second one", "read-together", 0, map[string]string{"place": "badge"}, linked, []string{"query", "query badges"}, 0},
		{"no place is one query", "read-together", 0, nil, linked, []string{"query"}, 0},
		{"a lookup each time is two reads", "join", 5, map[string]string{"place": "badge"}, linked, []string{"get", "get badges"}, 0},
		{"what is not there is not found by a lookup", "join", 5, map[string]string{"place": "badge"}, lone, []string{"get", "get badges"}, 1},
		{"one of ten reads the small table", "join", 20, map[string]string{"place": "badge", "refresh": "10"}, linked, []string{"query badges", "get"}, 0},
		{"the others know it", "join", 21, map[string]string{"place": "badge", "refresh": "10"}, linked, []string{"get"}, 0},
	} {
		w := newWorld(t, "badges")
		w.store("Test", linked, lone, lost)
		w.store("Testbadges", thing{keys: map[string]entity.Key{"": {Partition: "a", Row: "badge 1"}}})
		s := w.setting(map[string]string{"badge": "badges"})
		p := perform(t, s, row.kind, row.k, row.given, row.about)
		var foreseen []string
		for _, op := range workflow.Requests(p) {
			foreseen = append(foreseen, sentTo(&op))
		}
		var sent []string
		w.watch(p, func(op *target.Operation) { sent = append(sent, sentTo(op)) })
		if !slices.Equal(sent, row.sends) || counted(p)["missing"] != row.missing {
			t.Errorf("%s: it sent %q and missed %d; want %q and %d", row.says, sent, counted(p)["missing"], row.sends, row.missing)
		}
		if row.missing == 0 && !slices.Equal(foreseen, sent) {
			t.Errorf("%s: foreseen were %q, sent %q", row.says, foreseen, sent)
		}
	}
}

// sentTo names a request.
func sentTo(op *target.Operation) string {
	name := op.Verb.String()
	if further := op.Table[len("Test"):]; further != "" {
		name += " " + further
	}
	return name
}

// watch carries a workflow out alone, has each request seen, and reports how it ended.
func (w *world) watch(p workflow.Workflow, see func(op *target.Operation)) bool {
	w.t.Helper()
	for c := begun(p); ; {
		request := c.request
		see(&request)
		if c.tell(w, w.do(&request)); c.ended {
			return c.ok
		}
	}
}

// An entity lies where its kind belongs, all its properties with it.
func TestWriteSubtype(t *testing.T) {
	for _, row := range []struct {
		says, place string
		number      int
		table       string
	}{
		{"the kind that has a place lies there", "customers", 1, "Testcustomers"},
		{"any other does not", "customers", 2, "Test"},
		{"without a place all lie together", "", 1, "Test"},
	} {
		w := newWorld(t, "customers")
		s := w.setting(map[string]string{"customers": "customers"})
		one := worker(row.number, "a")
		one.keys["customers"] = entity.Key{Partition: "a", Row: "c"}
		if !w.run(perform(t, s, "write-subtype", 0, map[string]string{"kind": "kind", "is": "Customer", "place": row.place}, one)) {
			t.Fatalf("%s: it failed", row.says)
		}
		stored, there := w.get(row.table, one.keys[map[bool]string{true: row.place}[row.table != "Test"]])
		if salary, _ := stored.Lookup("Salary"); !there || salary.Int() != int64(100+row.number) {
			t.Errorf("%s: in %s it is there: %v, with salary %d", row.says, row.table, there, salary.Int())
		}
	}
}

// moves returns one for each of some workers, to the department of another.
func moves(t *testing.T, s *workflow.Setting, list []thing, keyed, order string) (all []workflow.Workflow) {
	for n, one := range list {
		to := worker(9000+n, fmt.Sprint("to", n%7))
		all = append(all, perform(t, s, "move", uint64(n), map[string]string{"member": "Employee", "group": "Department", "keyed": keyed, "order": order, "killed": "30%"}, one, to))
	}
	return all
}

// workers returns so many, in departments of a hundred.
func workers(count int, further ...entity.Property) (list []thing) {
	for n := range count {
		list = append(list, worker(n, fmt.Sprint("d", n/100), further...))
	}
	return list
}

// Keyed by the member, moves lose nobody, whatever replies are lost; keyed by the group
// they lose as many as clients die, and no more.
func TestMovesBetweenGroups(t *testing.T) {
	for _, row := range []struct{ keyed, order string }{{"by-member", "copy-first"}, {"by-group", "copy-first"}, {"by-group", "delete-first"}} {
		w := newWorld(t)
		list := workers(80)
		w.store("Test", list...)
		s := w.setting(nil, subjects(list)...)
		all := moves(t, s, list, row.keyed, row.order)
		for n, ended := range w.race(3, 6, 30, all) {
			if !ended {
				t.Errorf("%v: move %d failed", row, n)
			}
		}
		killed := int64(0)
		for _, p := range all {
			killed += counted(p)["killed"]
		}
		check := workflow.Find("move").Check(s, workflow.Find("move").Settle(map[string]string{"member": "Employee", "group": "Department"}))
		w.run(check)
		if found := check.Findings(); found.Faults != killed || found.Looked != 80 || killed < 10 && row.keyed == "by-group" {
			t.Errorf("%v: %d clients died, %d of %d members are not there once: %q; want as many", row, killed, found.Faults, found.Looked, found.Examples)
		}
	}
}

// Where a member lies after a move, what it holds, and that a second move from where it
// was finds nobody there.
func TestMoveGoesWhere(t *testing.T) {
	for _, order := range []string{"copy-first", "delete-first"} {
		w := newWorld(t)
		list := workers(1, entity.Property{Name: "Note", Value: entity.String("kept")})
		w.store("Test", list...)
		s := w.setting(nil, subjects(list)...)
		given := map[string]string{"member": "Employee", "group": "Department", "keyed": "by-group", "order": order}
		move := func() workflow.Workflow { return perform(t, s, "move", 0, given, list[0], worker(5, "there")) }
		first, second := move(), move()
		w.run(first)
		w.run(second)
		stored, there := w.get("Test", entity.Key{Partition: "there", Row: "0000"})
		department, _ := stored.Lookup("Department")
		note, _ := stored.Lookup("Note")
		if _, still := w.get("Test", list[0].keys[""]); !there || still || department.Text() != "there" || note.Text() != "kept" {
			t.Errorf("%s: it is there %v, still here %v, of department %q, note %q", order, there, still, department.Text(), note.Text())
		}
		if counted(first)["elsewhere"] != 0 || counted(second)["elsewhere"] != 1 {
			t.Errorf("%s: the moves found nobody %v and %v; want none and 1", order, counted(first), counted(second))
		}
		if again := perform(t, s, "move", 0, given, worker(0, "there"), worker(6, "there")); !w.run(again) {
			t.Errorf("%s: a move to where the member is failed", order)
		}
		if _, there := w.get("Test", entity.Key{Partition: "there", Row: "0000"}); !there {
			t.Errorf("%s: a move to where the member is has deleted it", order)
		}
	}
}

// What a client that dies leaves behind depends on what came first; two who move one
// member at once leave it twice, for no condition holds in both partitions.
func TestMovesThatGoWrong(t *testing.T) {
	for _, row := range []struct {
		says, keyed, order, killed string
		movers                     int
		want                       []string
	}{
		{"a member that is moved in place is there once", "by-member", "copy-first", "100%", 1, []string{"d0"}},
		{"copied first it is there twice", "by-group", "copy-first", "100%", 1, []string{"d0", "to1"}},
		{"deleted first it is not there", "by-group", "delete-first", "100%", 1, nil},
		{"two at once leave two", "by-group", "copy-first", "0", 2, []string{"to1", "to2"}},
	} {
		w := newWorld(t)
		list := workers(1)
		w.store("Test", list...)
		s := w.setting(nil, subjects(list)...)
		var all []*course
		for n := range row.movers {
			given := map[string]string{"member": "Employee", "group": "Department", "keyed": row.keyed, "order": row.order, "killed": row.killed}
			all = append(all, begun(perform(t, s, "move", uint64(n), given, list[0], worker(9000+n, fmt.Sprint("to", n+1)))))
		}
		// In step, so that each has read before another writes.
		for under := true; under; {
			under = false
			for n, c := range all {
				if c.ended {
					continue
				}
				request := c.request
				c.tell(w, w.do(&request))
				if under = true; c.ended && !c.ok {
					t.Errorf("%s: mover %d failed", row.says, n)
				}
			}
		}
		var found, called []string
		o := w.do(&target.Operation{Verb: entity.Query, Table: "Test"})
		for _, one := range o.Rows {
			department, _ := one.Entity.Lookup("Department")
			found, called = append(found, one.Key.Partition), append(called, department.Text())
		}
		if !slices.Equal(found, row.want) {
			t.Errorf("%s: it is in %q; want %q", row.says, found, row.want)
		}
		if row.keyed == "by-member" && !slices.Equal(called, []string{"to1"}) {
			t.Errorf("%s: its department is %q; want to1", row.says, called)
		}
	}
}
