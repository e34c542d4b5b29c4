package workflow_test

import (
	"fmt"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// carded returns a world with thirty workers who have a nickname, and some updates of
// their salaries by clients who do not know of it.
func carded(t *testing.T, count int, writes string) (*world, *workflow.Setting, []workflow.Workflow) {
	w := newWorld(t)
	list := workers(30, entity.Property{Name: "Nickname", Value: entity.String("Chip")})
	w.store("Test", list...)
	s := w.setting(nil, subjects(list)...)
	var all []workflow.Workflow
	for n := range count {
		given := map[string]string{"changes": "Salary", "unknown": "Nickname", "writes": writes}
		all = append(all, perform(t, s, "bag-update", uint64(n), given, list[n%len(list)], worker(5000+n, "fresh")))
	}
	return w, s, all
}

// Bags and merges keep what the client does not know, whatever is lost and whoever else
// writes; types drop it, and the count of those that did is how many have lost it.
func TestBagUpdatesKeep(t *testing.T) {
	for _, row := range []struct {
		writes       string
		loses        bool
		verb         string
		reads, count int
	}{{"merge", false, "merge", 0, 90}, {"bag", false, "replace", 90, 90}, {"known", true, "replace", 90, 90}} {
		w, s, all := carded(t, row.count, row.writes)
		restarts := int64(0)
		for n, ended := range w.race(5, 8, 30, all) {
			if restarts += counted(all[n])["restarts"]; !ended {
				t.Errorf("%s: update %d failed", row.writes, n)
			}
		}
		found := w.checked(s, "bag-update", map[string]string{"changes": "Salary", "unknown": "Nickname"})
		if found.Looked != 30 || (found.Faults == 30) != row.loses || !row.loses && found.Faults > 0 {
			t.Errorf("%s: %d of %d have lost their nickname, %q; want all: %v", row.writes, found.Faults, found.Looked, found.Examples, row.loses)
		}
		if w.requests[row.verb] < row.count || w.requests["get"] < row.reads || row.reads == 0 && w.requests["get"] > 0 || (restarts > 0) != (row.reads > 0) {
			t.Errorf("%s: it sent %v and began anew %d times; want writes, reads before them where it reads, and conflicts", row.writes, w.requests, restarts)
		}
	}
}

// One after another, each that drops a property counts it once.
func TestBagUpdateCountsWhatItDrops(t *testing.T) {
	for _, lost := range []int{0, 30} {
		w, s, all := carded(t, 60, "known")
		dropped := int64(0)
		w.race(9, 1, lost, all)
		for _, p := range all {
			dropped += counted(p)["lost"]
		}
		if found := w.checked(s, "bag-update", map[string]string{"changes": "Salary", "unknown": "Nickname"}); dropped != 30 || found.Faults != 30 {
			t.Errorf("of 100 replies %d lost: %d were counted as dropped, %d are; want 30", lost, dropped, found.Faults)
		}
	}
}

// What somebody else writes between the read and the write stays, and so does the change;
// what somebody else has dropped by then, the client did not.
func TestBagUpdateIsOvertaken(t *testing.T) {
	key := entity.Key{Partition: "d0", Row: "0000"}
	note := []entity.Property{{Name: "Nickname", Value: entity.String("Dot")}}
	for _, row := range []struct {
		says, writes string
		other        entity.Change
		want         string
	}{
		{"a bag has what was changed meanwhile", "bag", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, Dot, 5100, map[restarts:1]"},
		{"and drops what was dropped meanwhile", "bag", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
		{"a type drops what was changed meanwhile", "known", entity.Change{Verb: entity.Merge, Properties: note}, "2 replaces, , 5100, map[lost:1 restarts:1]"},
		{"and not what was dropped by somebody else", "known", entity.Change{Verb: entity.Replace}, "2 replaces, , 5100, map[restarts:1]"},
	} {
		w, _, all := carded(t, 1, row.writes)
		replaced := 0
		w.watch(all[0], func(op *target.Operation) {
			if op.Verb != entity.Replace {
				return
			}
			if replaced++; replaced == 1 {
				other := row.other
				other.Key, other.Match = key, entity.MatchAny
				w.do(&target.Operation{Verb: other.Verb, Table: "Test", Change: other})
			}
		})
		stored, _ := w.get("Test", key)
		nickname, _ := stored.Lookup("Nickname")
		salary, _ := stored.Lookup("Salary")
		if got := fmt.Sprintf("%d replaces, %s, %d, %v", replaced, nickname.Text(), salary.Int(), counted(all[0])); got != row.want {
			t.Errorf("%s: %s; want %s", row.says, got, row.want)
		}
	}
}

// What is not there is not made of what is to be changed.
func TestBagUpdateOfNothing(t *testing.T) {
	for _, writes := range []string{"merge", "bag", "known"} {
		w := newWorld(t)
		given := map[string]string{"changes": "Salary", "unknown": "Nickname", "writes": writes}
		ended := w.run(perform(t, w.setting(nil), "bag-update", 0, given, worker(1, "a")))
		if _, there := w.get("Test", entity.Key{Partition: "a", Row: "0001"}); ended || there || w.requests["replace"] > 0 {
			t.Errorf("%s: it ended well: %v, it is there: %v, requests %v; want a failure without a write", writes, ended, there, w.requests)
		}
	}
}

// A property with another value than was loaded is lost, too.
func TestKeptHoldsValues(t *testing.T) {
	w, s, _ := carded(t, 0, "bag")
	c := entity.Change{Verb: entity.Merge, Key: entity.Key{Partition: "d0", Row: "0003"}, Match: entity.MatchAny,
		Properties: []entity.Property{{Name: "Nickname", Value: entity.String("Dot")}}}
	w.do(&target.Operation{Verb: c.Verb, Table: "Test", Change: c})
	if found := w.checked(s, "bag-update", map[string]string{"changes": "Salary", "unknown": "Nickname"}); found.Faults != 1 {
		t.Errorf("%d are lost, %q; want the one with another value", found.Faults, found.Examples)
	}
}
