package workflow_test

import (
	"fmt"
	"math"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// crowded returns a world with three departments of so many, who repeat its name.
func crowded(t *testing.T, each int) (*world, *workflow.Setting) {
	w := newWorld(t, "groups")
	var list []thing
	for n := range 3 * each {
		department := fmt.Sprint("d", n/each)
		list = append(list, worker(n, department, entity.Property{Name: "Called", Value: entity.String(department)}))
	}
	w.store("Test", list...)
	return w, w.setting(map[string]string{"department": "groups"}, subjects(list)...)
}

// renames returns the naming of the departments in turn.
func renames(t *testing.T, s *workflow.Setting, count int, given map[string]string) (all []workflow.Workflow) {
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
		w, s := crowded(t, 250)
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
	if check := workflow.Find("write-group").Check(&workflow.Setting{}, workflow.Arguments{"copied": ""}); check != nil {
		t.Errorf("where members repeat nothing, %q is checked; want nothing", check.Name())
	}
}

// One after another, names agree whatever is lost; of clients that die, those who were not
// reached keep the old one, however few there are.
func TestGroupsOfDeadClients(t *testing.T) {
	for _, row := range []struct {
		killed string
		each   int
	}{{"0", 250}, {"100%", 250}, {"50%", 250}, {"0", 3}, {"100%", 3}, {"50%", 3}, {"100%", 100}, {"100%", 101}} {
		w, s := crowded(t, row.each)
		all := renames(t, s, 30, map[string]string{"copied": "Called", "killed": row.killed})
		died, want, reached := int64(0), int64(0), map[int64]bool{}
		for n, ended := range w.race(7, 1, 30, all) {
			counts := counted(all[n])
			if died += counts["killed"]; !ended {
				t.Errorf("killed %s: naming %d failed", row.killed, n)
			}
			if counts["killed"] > 0 {
				reached[counts["rewritten"]] = true
			}
			if n >= len(all)-3 {
				// Each naming gives another name: those whom the last did not reach have none of it.
				want += int64(row.each) - counts["rewritten"]
			}
		}
		found := w.checked(s, "write-group", map[string]string{"place": "department", "copied": "Called"})
		if found.Faults != want || found.Looked != int64(3*row.each) {
			t.Errorf("killed %s of %d: %d of %d members have another name; want %d of %d", row.killed, row.each, found.Faults, found.Looked, want, 3*row.each)
		}
		if min, most := bounds(row.killed, len(all)); died < min || died > most {
			t.Errorf("killed %s of %d: %d of %d clients died; want %d to %d", row.killed, row.each, died, len(all), min, most)
		}
		if deaths := (row.each + 99) / 100; row.killed == "100%" && len(reached) != deaths {
			t.Errorf("groups of %d: clients died after %v; want each of %d transactions to be one before which some die", row.each, reached, deaths)
		}
	}
}

// bounds returns how many of so many die, within four standard deviations.
func bounds(killed string, all int) (least, most int64) {
	switch killed {
	case "0":
		return 0, 0
	case "100%":
		return int64(all), int64(all)
	default:
		mean, deviation := float64(all)/2, math.Sqrt(float64(all)/4)
		return int64(mean - 4*deviation), int64(mean + 4*deviation)
	}
}
