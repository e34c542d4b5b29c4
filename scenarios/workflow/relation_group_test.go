package workflow_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// crowded returns a world with three departments of so many, who repeat its name.
func crowded(t *testing.T, each int) *world {
	w := newWorld(t, "department=groups")
	var list []thing
	for n := range 3 * each {
		department := fmt.Sprint("d", n/each)
		list = append(list, worker(n, department, text("Called", department)))
	}
	w.load(list...)
	return w
}

// renames returns the naming of the departments in turn.
func (w *world) renames(count int, given args) (all []workflow.Workflow) {
	given["place"] = "department"
	for n := range count {
		one := worker(n, fmt.Sprint("d", n%3))
		one.keys["department"] = entity.Key{Partition: one.keys[""].Partition, Row: one.keys[""].Partition}
		all = append(all, w.op("write-group", n, given, one))
	}
	return all
}

var called = args{"place": "department", "copied": "Called"}

func TestWriteGroup(t *testing.T) {
	for _, row := range []struct {
		says, name, copied, requests string
		faults, rewritten            int64
	}{
		{"with the group alone it is one write", "new", "", "map[insert-or-merge:1]", 250, 0},
		{"named as members call it, nothing differs", "own", "", "map[insert-or-merge:1]", 0, 0},
		{"in members it is one for each hundred", "new", "Called", "map[batch:3 insert-or-merge:1 query:1]", 0, 250},
	} {
		w := crowded(t, 250)
		all := w.renames(1, args{"name": row.name, "copied": row.copied})
		w.raceWell(0, 1, 0, all)
		assert.Equal(t, row.requests, fmt.Sprint(w.requests), row.says)
		assert.Equal(t, row.rewritten, total(all, "rewritten"), row.says)
		w.finds("write-group", called, row.faults, 250)
	}
	assert.Nil(t, newWorld(t).checkOf("write-group", args{"copied": ""}), "members repeat nothing")
}

// One after another, names agree whatever is lost; of clients that die, those who were not
// reached keep the old one, however few there are.
func TestGroupsOfDeadClients(t *testing.T) {
	for _, row := range []struct {
		killed string
		each   int
	}{{"0", 250}, {"100%", 250}, {"50%", 250}, {"0", 3}, {"100%", 3}, {"50%", 3}, {"100%", 100}, {"100%", 101}} {
		w := crowded(t, row.each)
		all := w.renames(30, args{"copied": "Called", "killed": row.killed})
		w.raceWell(7, 1, 30, all)
		reached := map[int64]bool{}
		for _, p := range all {
			if counts := counted(p); counts["killed"] > 0 {
				reached[counts["rewritten"]] = true
			}
		}
		// Each naming gives another name: those whom the last did not reach have none of it.
		w.finds("write-group", called, int64(3*row.each)-total(all[len(all)-3:], "rewritten"), int64(3*row.each))
		died := total(all, "killed")
		if min, most := bounds(row.killed, len(all)); died < min || died > most {
			t.Errorf("killed %s of %d: %d of %d clients died; want %d to %d", row.killed, row.each, died, len(all), min, most)
		}
		assert.Truef(t, row.killed != "100%" || len(reached) == (row.each+99)/100, "groups of %d: clients died after %v; want before each transaction", row.each, reached)
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
