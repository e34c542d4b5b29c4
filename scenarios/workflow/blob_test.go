package workflow_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// employee is a thing with a key that is no name of a blob as it stands.
func photographed(n int) thing {
	return thing{number: uint64(n), keys: map[string]entity.Key{"": {Partition: fmt.Sprintf("a b %d", n), Row: "é%2F"}},
		properties: []entity.Property{text("Name", "Jones")}}
}

// photos returns an operation of a kind on each of so many employees.
func (w *world) photos(kind string, count int, given args) []*workflow.Procedure {
	return several(count, func(k int) *workflow.Procedure { return w.op(kind, k, given, photographed(k)) })
}

// runAll carries workflows out, one after the other.
func (w *world) runAll(all []*workflow.Procedure) []*workflow.Procedure {
	for _, p := range all {
		w.run(p)
	}
	return all
}

// However attempts interleave and get lost and clients die, no entity points to
// nothing, and the sweep finds what nobody points to.
func TestNoEntityIsWithoutItsPhoto(t *testing.T) {
	for seed := range uint64(15) {
		w := newWorld(t)
		given := args{"size": "10", "killed": "30%"}
		hires := w.photos("large-put", 40, given)
		w.race(seed, 5, 20, hires)
		died := total(hires, "killed")
		require.NotZero(t, died)
		found := w.check("large-put", nil)
		assert.Equalf(t, [2]int64{0, 40 - died}, [2]int64{found.Faults, found.Looked}, "seed %d: entities that point to nothing", seed)
		leave := append(w.photos("large-delete", 30, given), w.photos("large-delete", 30, given)...)
		looks := w.photos("large-get", 40, args{"size": "10"})
		var mixed []*workflow.Procedure
		for i := range leave {
			mixed = append(mixed, leave[i], looks[i%len(looks)])
			if i >= len(looks) {
				mixed = mixed[:len(mixed)-1]
			}
		}
		w.race(seed, 8, 20, mixed)
		assert.Zerof(t, w.check("large-delete", nil).Faults, "seed %d: entities that point to nothing after deletions", seed)
		assert.Zerof(t, total(looks, "dangling"), "seed %d: readers who met an entity without its photo", seed)

		sweep := w.photos("large-sweep", 1, nil)
		if w.race(seed, 1, 20, sweep); total(sweep, "orphans") < died {
			t.Errorf("seed %d: the sweep found %v; want the photos of the %d clients that died, at least", seed, counted(sweep[0]), died)
		}
		again := w.photos("large-sweep", 1, nil)
		left := w.check("large-put", nil).Looked
		if w.run(again[0]); total(again, "orphans") != 0 || total(again, "blobs") != left {
			t.Errorf("seed %d: another sweep found %v; want %d blobs, each with its entity", seed, counted(again[0]), left)
		}
	}
}

// The other order leaves entities that point to nothing, which readers meet.
func TestTheEntityFirstLeavesItWithoutItsPhoto(t *testing.T) {
	w := newWorld(t)
	hires := w.runAll(w.photos("large-put", 30, args{"size": "10", "killed": "30%", "first": "entity"}))
	died := total(hires, "killed")
	w.finds("large-put", nil, died, 30)
	looks := w.runAll(w.photos("large-get", 30, args{"size": "10"}))
	if dangling := total(looks, "dangling"); dangling != died || died == 0 {
		t.Errorf("%d readers met an entity without its photo; want %d", dangling, died)
	}
	leaves := w.runAll(w.photos("large-delete", 30, args{"size": "10", "killed": "30%", "first": "blob"}))
	if found := w.check("large-delete", nil); found.Faults < total(leaves, "killed") || found.Faults == 0 {
		t.Errorf("%d clients died deleting, and %d entities point to nothing; want as many at least", total(leaves, "killed"), found.Faults)
	}
}

// What a value comes to as it is written, read and deleted.
func TestLargeValuesByForm(t *testing.T) {
	const put, gone = "map[insert-or-replace:1]", "map[delete:1]"
	for _, row := range []struct {
		name, form, size string
		writes           bool
		put, got, gone   string
		bytes            int64
	}{
		{"1.1 MB in a blob", "blob", "1100000", true, "map[insert-or-replace:1 put-blob:1]", "map[get:1 get-blob:1]", "map[delete:1 delete-blob:1]", 1_100_000},
		{"1.1 MB in no entity", "inline", "1100000", false, put, "map[get:1]", gone, 0},
		{"200 KB in an entity", "inline", "200000", true, put, "map[get:1]", gone, 200_000},
	} {
		w := newWorld(t)
		given := args{"form": row.form, "size": row.size}
		run := func(kind, want string) map[string]int64 {
			t.Helper()
			clear(w.requests)
			p := w.photos(kind, 1, given)[0]
			if ended := w.run(p); kind == "large-put" && ended != row.writes || fmt.Sprint(w.requests) != want || len(foreseen(p)) != len(w.requests) {
				t.Errorf("%s: %s ended well: %v, by %v, foreseen %v; want %v, %s", row.name, kind, ended, w.requests, foreseen(p), row.writes, want)
			}
			return counted(p)
		}
		run("large-put", row.put)
		if stored, there := w.get("Test", photographed(0).keys[""]); row.writes {
			assert.Truef(t, there && value(stored, "Name").Text() == "Jones", "%s: the facts are not where the key says", row.name)
		}
		got := run("large-get", row.got)
		assert.Truef(t, got["bytes"] == row.bytes && (got["absent"] == 0) == row.writes, "%s: a reader gets %v", row.name, got)
		// Who does not want the photo does not fetch it, unless it comes with the entity.
		clear(w.requests)
		facts := w.runAll(w.photos("large-get", 1, args{"form": row.form, "size": row.size, "wanted": "0"}))
		fetched := map[bool]int64{false: row.bytes}[row.form == "blob"]
		assert.Truef(t, total(facts, "bytes") == fetched && w.requests["get-blob"] == 0 && len(facts[0].Requests()) == 1,
			"%s: a reader who does not want the photo gets %d bytes by %v", row.name, total(facts, "bytes"), w.requests)
		run("large-delete", row.gone)
		look := w.runAll(w.photos("large-get", 1, given))
		assert.Equal(t, map[string]int64{"absent": 1}, counted(look[0]), row.name)
	}
}

// A deletion whose reply was lost goes on to the blob; one that somebody else was
// faster than leaves it to them.
func TestDeletionsGoOnWhereTheyWereTheirs(t *testing.T) {
	for _, row := range []struct {
		name    string
		lost    bool
		deletes int
	}{{"the reply was lost", true, 1}, {"somebody else was faster", false, 0}} {
		w := newWorld(t)
		w.run(w.photos("large-put", 1, args{"size": "10"})[0])
		c := begun(w.photos("large-delete", 1, nil)[0])
		own := c.request
		w.do(&own)
		if row.lost {
			c.tell(w, target.Outcome{})
		}
		w.finish(c)
		assert.Truef(t, c.ok && w.requests["delete-blob"] == row.deletes,
			"%s: ended well: %v, by %d deletions of the blob; want %d", row.name, c.ok, w.requests["delete-blob"], row.deletes)
	}
}
