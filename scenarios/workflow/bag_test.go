package workflow_test

import (
	"fmt"
	"maps"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// nicknames are the parameters of updates of salaries by clients who do not know of nicknames.
var nicknames = args{"changes": "Salary", "unknown": "Nickname"}

// carded returns a world with thirty workers who have a nickname, and some updates.
func carded(t *testing.T, count int, writes string) (*world, []workflow.Workflow) {
	w := newWorld(t)
	list := workers(30, text("Nickname", "Chip"))
	w.load(list...)
	given := args{"changes": "Salary", "unknown": "Nickname", "writes": writes}
	return w, several(count, func(n int) workflow.Workflow {
		return w.op("bag-update", n, given, list[n%len(list)], worker(5000+n, "fresh"))
	})
}

// Bags and merges keep what the client does not know, whatever is lost and whoever else
// writes; types drop it, and the count of those that did is how many have lost it.
func TestBagUpdatesKeep(t *testing.T) {
	const count = 90
	for _, row := range []struct {
		writes, verb string
		loses        int64
		reads        int
	}{{"merge", "merge", 0, 0}, {"bag", "replace", 0, count}, {"known", "replace", 30, count}} {
		w, all := carded(t, count, row.writes)
		w.raceWell(5, 8, 30, all)
		sent := maps.Clone(w.requests)
		w.finds("bag-update", nicknames, row.loses, 30)
		restarts := total(all, "restarts")
		assert.Truef(t, sent[row.verb] >= count && sent["get"] >= row.reads && (row.reads > 0) == (sent["get"] > 0), "%s: it sent %v", row.writes, sent)
		assert.Equal(t, row.reads > 0, restarts > 0, row.writes)
	}
}

// One after another, each that drops a property counts it once.
func TestBagUpdateCountsWhatItDrops(t *testing.T) {
	for _, lost := range []int{0, 30} {
		w, all := carded(t, 60, "known")
		w.race(9, 1, lost, all)
		w.finds("bag-update", nicknames, 30, 30)
		assert.EqualValuesf(t, 30, total(all, "lost"), "of 100 replies %d lost: were counted as dropped", lost)
	}
}

// What somebody else writes between the read and the write stays, and so does the change;
// what somebody else has dropped by then, the client did not.
func TestBagUpdateIsOvertaken(t *testing.T) {
	key := entity.Key{Partition: "d0", Row: "0000"}
	note := []entity.Property{text("Nickname", "Dot")}
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
		w, all := carded(t, 1, row.writes)
		replaced := 0
		w.watch(all[0], func(op *target.Operation) {
			if op.Verb != entity.Replace {
				return
			}
			if replaced++; replaced == 1 {
				w.change(row.other.Verb, "Test", key, row.other.Properties...)
			}
		})
		stored, _ := w.get("Test", key)
		assert.Equal(t, row.want, fmt.Sprintf("%d replaces, %s, %d, %v", replaced, value(stored, "Nickname").Text(), value(stored, "Salary").Int(), counted(all[0])),
			row.says)
	}
}

// What is not there is not made of what is to be changed.
func TestBagUpdateOfNothing(t *testing.T) {
	for _, writes := range []string{"merge", "bag", "known"} {
		w := newWorld(t)
		ended := w.run(w.op("bag-update", 0, args{"changes": "Salary", "unknown": "Nickname", "writes": writes}, worker(1, "a")))
		_, there := w.get("Test", entity.Key{Partition: "a", Row: "0001"})
		assert.Falsef(t, ended || there || w.requests["replace"] > 0, "%s: it ended well %v, it is there %v, requests %v", writes, ended, there, w.requests)
	}
}

// A property with another value than was loaded is lost, too.
func TestKeptHoldsValues(t *testing.T) {
	w, _ := carded(t, 0, "bag")
	w.change(entity.Merge, "Test", entity.Key{Partition: "d0", Row: "0003"}, text("Nickname", "Dot"))
	w.finds("bag-update", nicknames, 1, 30)
}
