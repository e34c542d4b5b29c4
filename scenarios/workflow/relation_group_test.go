package workflow_test

import (
	"fmt"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/scenarios/workflow/machine"
)

// crowded returns a world with three departments of 250, who repeat its name.
func crowded(t *testing.T) (*world, *machine.Setting) {
	w := newWorld(t, "groups")
	var list []thing
	for n := range 750 {
		department := fmt.Sprint("d", n/250)
		list = append(list, worker(n, department, entity.Property{Name: "Called", Value: entity.String(department)}))
	}
	w.store("Test", list...)
	return w, w.setting(map[string]string{"department": "groups"}, subjects(list)...)
}

// renames returns the naming of the departments in turn.
func renames(t *testing.T, s *machine.Setting, count int, given map[string]string) (all []machine.Workflow) {
	given["place"] = "department"
	for n := range count {
		one := worker(n, fmt.Sprint("d", n%3))
		one.keys["department"] = entity.Key{Partition: one.keys[""].Partition, Row: one.keys[""].Partition}
		all = append(all, perform(t, s, "write-group", uint64(n), given, one))
	}
	return all
}

func TestWriteGroup(t *testing.T) {
	for _, row := range []struct {
		says, name, copied string
		requests           map[string]int
		faults, rewritten  int64
	}{
		{"with the group alone it is one write", "new", "", map[string]int{"insert-or-merge": 1}, 250, 0},
		{"named as members call it, nothing differs", "own", "", map[string]int{"insert-or-merge": 1}, 0, 0},
		{"in members it is one for each hundred", "new", "Called", map[string]int{"insert-or-merge": 1, "query": 1, "batch": 3}, 0, 250},
	} {
		w, s := crowded(t)
		p := renames(t, s, 1, map[string]string{"name": row.name, "copied": row.copied})[0]
		if !w.run(p) {
			t.Fatalf("%s: it failed", row.says)
		}
		if fmt.Sprint(w.requests) != fmt.Sprint(row.requests) || counted(p)["rewritten"] != row.rewritten {
			t.Errorf("%s: it sent %v and rewrote %d; want %v and %d", row.says, w.requests, counted(p)["rewritten"], row.requests, row.rewritten)
		}
		found := w.checked(s, "write-group", map[string]string{"place": "department", "copied": "Called"})
		if found.Faults != row.faults || found.Looked != 250 {
			t.Errorf("%s: %d of %d members call it otherwise, %q; want %d of 250", row.says, found.Faults, found.Looked, found.Examples, row.faults)
		}
	}
	if check := workflow.Find("write-group").Check(&machine.Setting{}, machine.Arguments{"copied": ""}); check != nil {
		t.Errorf("where members repeat nothing, %q is checked; want nothing", check.Name())
	}
}

// One after another, names agree whatever is lost; of a client that dies, those who were
// not reached keep the old one.
func TestGroupsOfDeadClients(t *testing.T) {
	for _, row := range []struct {
		killed string
		faults int64
	}{{"0", 0}, {"100%", 3 * 150}} {
		w, s := crowded(t)
		all := renames(t, s, 6, map[string]string{"copied": "Called", "killed": row.killed})
		died := int64(0)
		for n, ended := range w.race(7, 1, 30, all) {
			if died += counted(all[n])["killed"]; !ended {
				t.Errorf("killed %s: naming %d failed", row.killed, n)
			}
		}
		found := w.checked(s, "write-group", map[string]string{"place": "department", "copied": "Called"})
		if found.Faults != row.faults || found.Looked != 750 || (died == 0) != (row.faults == 0) {
			t.Errorf("killed %s: %d clients died, %d of %d members have another name; want %d of 750", row.killed, died, found.Faults, found.Looked, row.faults)
		}
	}
}
