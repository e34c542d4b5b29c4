package workflow_test

import (
	"fmt"
	"maps"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// employee is a thing with a key that is no name of a blob as it stands.
func photographed(n int) thing {
	return thing{number: uint64(n), keys: map[string]entity.Key{"": {Partition: fmt.Sprintf("a b %d", n), Row: "é%2F"}},
		properties: []entity.Property{{Name: "Name", Value: entity.String("Jones")}}}
}

// photos returns an operation of a kind on each of so many employees.
func photos(t *testing.T, s *workflow.Setting, kind string, count int, given map[string]string) []workflow.Workflow {
	var all []workflow.Workflow
	for k := range count {
		all = append(all, perform(t, s, kind, uint64(k), given, photographed(k)))
	}
	return all
}

// pointing returns what the check of a kind comes upon.
func pointing(w *world, s *workflow.Setting, kind string) workflow.Findings {
	w.t.Helper()
	one := workflow.Find(kind)
	check := one.Check(s, one.Settle(nil))
	if !w.run(check) {
		w.t.Fatalf("the check that %s did not come to its end", check.Name())
	}
	return check.Findings()
}

// total is what workflows have counted under a name.
func total(all []workflow.Workflow, name string) (sum int64) {
	for _, p := range all {
		sum += counted(p)[name]
	}
	return sum
}

// However attempts interleave and get lost and clients die, no entity points to
// nothing, and the sweep finds what nobody points to.
func TestNoEntityIsWithoutItsPhoto(t *testing.T) {
	for seed := range uint64(15) {
		w := newWorld(t)
		s := w.setting(nil)
		given := map[string]string{"size": "10", "killed": "30%"}
		hires := photos(t, s, "large-put", 40, given)
		w.race(seed, 5, 20, hires)
		died := total(hires, "killed")
		if found := pointing(w, s, "large-put"); died == 0 || found.Faults > 0 || found.Looked != 40-died {
			t.Fatalf("seed %d: %d clients died; %d of %d entities point to nothing; want some, and none of %d", seed, died, found.Faults, found.Looked, 40-died)
		}
		leave := append(photos(t, s, "large-delete", 30, given), photos(t, s, "large-delete", 30, given)...)
		looks := photos(t, s, "large-get", 40, map[string]string{"size": "10"})
		var mixed []workflow.Workflow
		for i := range leave {
			mixed = append(mixed, leave[i], looks[i%len(looks)])
			if i >= len(looks) {
				mixed = mixed[:len(mixed)-1]
			}
		}
		w.race(seed, 8, 20, mixed)
		if found := pointing(w, s, "large-delete"); found.Faults > 0 {
			t.Errorf("seed %d: %d entities point to nothing after deletions; want none", seed, found.Faults)
		}
		if dangling := total(looks, "dangling"); dangling > 0 {
			t.Errorf("seed %d: %d readers met an entity without its photo; want none", seed, dangling)
		}

		sweep := photos(t, s, "large-sweep", 1, nil)
		if w.race(seed, 1, 20, sweep); total(sweep, "orphans") < died {
			t.Errorf("seed %d: the sweep found %v; want the photos of the %d clients that died, at least", seed, counted(sweep[0]), died)
		}
		again := photos(t, s, "large-sweep", 1, nil)
		left := pointing(w, s, "large-put").Looked
		if w.run(again[0]); total(again, "orphans") != 0 || total(again, "blobs") != left {
			t.Errorf("seed %d: another sweep found %v; want %d blobs, each with its entity", seed, counted(again[0]), left)
		}
	}
}

// The other order leaves entities that point to nothing, which readers meet.
func TestTheEntityFirstLeavesItWithoutItsPhoto(t *testing.T) {
	w := newWorld(t)
	s := w.setting(nil)
	hires := photos(t, s, "large-put", 30, map[string]string{"size": "10", "killed": "30%", "first": "entity"})
	for _, p := range hires {
		w.run(p)
	}
	died := total(hires, "killed")
	if found := pointing(w, s, "large-put"); died == 0 || found.Faults != died || found.Looked != 30 {
		t.Errorf("%d clients died, and %d of %d entities point to nothing; want some, as many, and 30", died, found.Faults, found.Looked)
	}
	looks := photos(t, s, "large-get", 30, map[string]string{"size": "10"})
	for _, p := range looks {
		w.run(p)
	}
	if dangling := total(looks, "dangling"); dangling != died {
		t.Errorf("%d readers met an entity without its photo; want %d", dangling, died)
	}
	leaves := photos(t, s, "large-delete", 30, map[string]string{"size": "10", "killed": "30%", "first": "blob"})
	for _, p := range leaves {
		w.run(p)
	}
	if found := pointing(w, s, "large-delete"); found.Faults < total(leaves, "killed") || found.Faults == 0 {
		t.Errorf("%d clients died deleting, and %d entities point to nothing; want as many at least", total(leaves, "killed"), found.Faults)
	}
}

// What a value comes to as it is written, read and deleted.
func TestLargeValuesByForm(t *testing.T) {
	for _, row := range []struct {
		name, form, size string
		writes           bool
		put, got, gone   map[string]int
		bytes            int64
	}{
		{"a photo of 1.1 MB in a blob", "blob", "1100000", true, map[string]int{"put-blob": 1, "insert-or-replace": 1},
			map[string]int{"get": 1, "get-blob": 1}, map[string]int{"delete": 1, "delete-blob": 1}, 1_100_000},
		{"a photo of 1.1 MB in no entity", "inline", "1100000", false, map[string]int{"insert-or-replace": 1}, map[string]int{"get": 1}, map[string]int{"delete": 1}, 0},
		{"a photo of 200 KB in an entity", "inline", "200000", true, map[string]int{"insert-or-replace": 1}, map[string]int{"get": 1}, map[string]int{"delete": 1}, 200_000},
		{"a photo of 1.1 MB in two entities", "entities", "1100000", true, map[string]int{"batch": 1}, map[string]int{"query": 1}, map[string]int{"batch": 1}, 1_100_000},
		{"the largest in four", "entities", "3900000", true, map[string]int{"batch": 1}, map[string]int{"query": 1}, map[string]int{"batch": 1}, 3_900_000},
		{"one that fills an entity's share exactly", "entities", "983040", true, map[string]int{"batch": 1}, map[string]int{"query": 1}, map[string]int{"batch": 1}, 983_040},
		{"a small one in one entity", "entities", "3", true, map[string]int{"batch": 1}, map[string]int{"query": 1}, map[string]int{"batch": 1}, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := newWorld(t)
			s := w.setting(nil)
			given := map[string]string{"form": row.form, "size": row.size}
			run := func(kind string, want map[string]int) workflow.Workflow {
				t.Helper()
				clear(w.requests)
				p := photos(t, s, kind, 1, given)[0]
				if ended := w.run(p); kind == "large-put" && ended != row.writes || !maps.Equal(w.requests, want) {
					t.Errorf("%s ended well: %v, by %v; want %v, %v", kind, ended, w.requests, row.writes, want)
				}
				if foreseen := workflow.Requests(p); len(foreseen) != len(want) {
					t.Errorf("%s foresees %d requests; want %d", kind, len(foreseen), len(want))
				}
				return p
			}
			run("large-put", row.put)
			if told := counted(run("large-get", row.got)); told["bytes"] != row.bytes || (told["absent"] == 0) != row.writes {
				t.Errorf("a reader gets %v; want %d bytes", told, row.bytes)
			}
			run("large-delete", row.gone)
			look := photos(t, s, "large-get", 1, given)[0]
			if w.run(look); counted(look)["absent"] != 1 || counted(look)["bytes"] != 0 {
				t.Errorf("after its deletion a reader gets %v; want it absent", counted(look))
			}
		})
	}
}

// The facts of an entity are where its key says, whatever becomes of its value.
func TestFactsStayWithTheirKey(t *testing.T) {
	for _, form := range []string{"blob", "inline", "entities"} {
		w := newWorld(t)
		w.run(photos(t, w.setting(nil), "large-put", 1, map[string]string{"form": form, "size": "5"})[0])
		key := photographed(0).Key("")
		read := w.do(&target.Operation{Verb: entity.Get, Table: "Test", Change: entity.Change{Verb: entity.Get, Key: key}})
		if name, _ := read.Entity.Lookup("Name"); name.Text() != "Jones" {
			t.Errorf("%s: the entity's name is %q; want Jones", form, name.Text())
		}
	}
}

// Readers who do not want the photo do not fetch it, unless it comes with the entity.
func TestWantedPhotosAreFetched(t *testing.T) {
	for form, want := range map[string]int64{"blob": 0, "inline": 3000} {
		w := newWorld(t)
		s := w.setting(nil)
		w.run(photos(t, s, "large-put", 1, map[string]string{"form": form, "size": "3000"})[0])
		look := photos(t, s, "large-get", 1, map[string]string{"form": form, "size": "3000", "wanted": "0"})[0]
		if w.run(look); counted(look)["bytes"] != want {
			t.Errorf("%s: a reader who does not want the photo gets %d bytes; want %d", form, counted(look)["bytes"], want)
		}
		if foreseen := workflow.Requests(look); len(foreseen) != 1 || w.requests["get-blob"] > 0 {
			t.Errorf("%s: a reader who does not want the photo foresees %d requests and fetches %d; want one and none", form, len(foreseen), w.requests["get-blob"])
		}
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
		s := w.setting(nil)
		w.run(photos(t, s, "large-put", 1, map[string]string{"size": "10"})[0])
		c := begun(photos(t, s, "large-delete", 1, nil)[0])
		own := c.request
		w.do(&own)
		if row.lost {
			c.tell(w, target.Outcome{})
		}
		for !c.ended {
			request := c.request
			c.tell(w, w.do(&request))
		}
		if !c.ok || w.requests["delete-blob"] != row.deletes {
			t.Errorf("%s: ended well: %v, by %d deletions of the blob; want %d", row.name, c.ok, w.requests["delete-blob"], row.deletes)
		}
	}
}

// Values that lie in the table need no container, and nobody has to look for one.
func TestOnlyBlobsNeedAContainer(t *testing.T) {
	for _, name := range []string{"large-put", "large-get", "large-delete", "large-sweep"} {
		kind := workflow.Find(name)
		for form, want := range map[string]int{"blob": 1, "inline": 0, "entities": 0} {
			a := kind.Settle(map[string]string{"form": form})
			if got := kind.Stores(a); len(got) != want || want == 1 && got[0].Queue {
				t.Errorf("%s, %s: needs %v; want %d containers", name, form, got, want)
			}
			if kind.Check != nil && (kind.Check(newWorld(t).setting(nil), a) != nil) != (want == 1) {
				t.Errorf("%s, %s: is there a check? want one: %v", name, form, want == 1)
			}
		}
	}
}

// A container that nobody has made yet holds nothing.
func TestASweepOfNoContainerEnds(t *testing.T) {
	w := newWorld(t)
	c := begun(photos(t, w.setting(nil), "large-sweep", 1, nil)[0])
	if c.tell(w, target.Outcome{Status: 404, Code: "ContainerNotFound"}); !c.ended || !c.ok {
		t.Errorf("a sweep where there is no container ended: %v, well: %v; want both", c.ended, c.ok)
	}
}
