package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// steps carries out so many requests of a course.
func (w *world) steps(c *course, count int) {
	w.t.Helper()
	for range count {
		request := c.request
		c.tell(w, w.do(&request))
	}
}

// Two clients that begin the same list at once: the later one finds it there, and begins
// anew, rather than take it for its own.
func TestIndexListsBegunTwice(t *testing.T) {
	for _, form := range indexForms {
		w, s := indexSetting(t, form)
		given := indexGiven(form, nil)
		var both [2]*course
		for k := range both {
			about := employee(form, 2*k, 1)
			kind := "index-add"
			if form != "partition" {
				kind = "index-build"
				w.do(&target.Operation{Verb: entity.Insert, Table: "Test", Change: entity.Change{Verb: entity.Insert, Key: about.Key(""), Properties: about.Properties()}})
			}
			both[k] = begun(perform(t, s, kind, 1000+uint64(k), indexWith(kind, given), about))
		}
		w.steps(both[0], 1)
		w.steps(both[1], 1)
		for _, c := range both {
			for !c.ended {
				w.steps(c, 1)
			}
		}
		if found := indexFaults(w, s, given); found.Faults != 0 || found.Looked != 4 || counted(both[1].Workflow)["conflicts"] != 1 {
			t.Errorf("form %s: %d faults in %d, %q, and %v counted; want none in 4, and one conflict", form, found.Faults, found.Looked, found.Examples, counted(both[1].Workflow))
		}
	}
}

// A worker that is slow has read that an employee has a name. The employee is renamed, and
// another worker has nothing to strike off the list of the old name: it writes it all the
// same, so that the slow one has to look again.
func TestIndexWorkersOvertakenWithoutAChange(t *testing.T) {
	for _, form := range []string{"place", "blob"} {
		w, s := indexSetting(t, form)
		given := indexGiven(form, map[string]string{"announced": "last"})
		about := employee(form, 0, 3)
		run := func(p workflow.Workflow) {
			if !w.run(p) {
				t.Fatalf("form %s: an operation failed", form)
			}
		}
		work := func() workflow.Workflow {
			return perform(t, s, "index-work", 1, indexWith("index-work", given), about)
		}
		// The list is there, and empty.
		run(perform(t, s, "index-add", 1, indexWith("index-add", given), employee(form, 6, 3)))
		run(work())
		run(perform(t, s, "index-delete", 2, indexWith("index-delete", given), employee(form, 6, 3)))
		run(work())

		run(perform(t, s, "index-add", 3, indexWith("index-add", given), about))
		slow := begun(work())
		w.steps(slow, 3)
		run(perform(t, s, "index-rename", 4, indexWith("index-rename", given), about, employee(form, 1, 3)))
		run(work())
		for !slow.ended {
			w.steps(slow, 1)
		}
		if found := indexFaults(w, s, given); found.Faults != 0 || found.Looked != 2 || counted(slow.Workflow)["conflicts"] != 1 {
			t.Errorf("form %s: %d faults in %d, %q, the slow one counted %v; want none in 2, and a conflict", form, found.Faults, found.Looked, found.Examples, counted(slow.Workflow))
		}
	}
}

// What the check tells apart.
func TestIndexCheckFindsFaults(t *testing.T) {
	for _, row := range []struct {
		says    string
		alter   func(w *world, one thing)
		faults  int64
		example string
	}{
		{"nothing is wrong", func(*world, thing) {}, 0, ""},
		{"an employee is deleted, and the list not told", func(w *world, one thing) {
			w.do(&target.Operation{Verb: entity.Delete, Table: "Test", Change: entity.Change{Verb: entity.Delete, Key: one.Key(""), Match: entity.MatchAny}})
		}, 1, "which is not there"},
		{"an employee is renamed, and no list told", func(w *world, one thing) {
			w.do(&target.Operation{Verb: entity.Merge, Table: "Test", Change: entity.Change{Verb: entity.Merge, Key: one.Key(""), Match: entity.MatchAny,
				Properties: []entity.Property{{Name: "LastName", Value: entity.String("other")}}}})
		}, 2, "which is other"},
		{"an employee is written, and the list not told", func(w *world, _ thing) {
			w.do(&target.Operation{Verb: entity.Insert, Table: "Test", Change: entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: "department0", Row: "900000"},
				Properties: []entity.Property{{Name: "LastName", Value: entity.String("name0")}}}})
		}, 1, "is named 0 times"},
		{"two lists name an employee", func(w *world, one thing) {
			w.do(&target.Operation{Verb: entity.Insert, Table: "Test", Change: entity.Change{Verb: entity.Insert, Key: entity.Key{Partition: one.Key("").Partition, Row: "again"},
				Properties: []entity.Property{{Name: "Ids", Value: entity.Binary([]byte(strings.Join([]string{"LastName\tname0", one.Key("").Row}, "\n")))}}}})
		}, 1, "is named 2 times"},
	} {
		w, s := indexSetting(t, "partition")
		given := indexGiven("partition", nil)
		for k := range 3 {
			w.run(perform(t, s, "index-add", uint64(k), given, employee("partition", k, 3)))
		}
		row.alter(w, employee("partition", 0, 3))
		found := indexFaults(w, s, given)
		if found.Faults != row.faults || row.faults > 0 && !strings.Contains(strings.Join(found.Examples, "\n"), row.example) {
			t.Errorf("%s: %d faults, %q; want %d, one with %q", row.says, found.Faults, found.Examples, row.faults, row.example)
		}
	}
}

// Two indexes whose lists lie in one table, one partition or one container, and that go by
// one queue, are each kept whole, by whichever's workers, and checked by themselves.
func TestTwoIndexesSideBySide(t *testing.T) {
	for _, form := range indexForms {
		for seed := range uint64(4) {
			w, s := indexSetting(t, form)
			listed := func(one workflow.Subject, attribute, value string) entity.Key {
				key := indexPlace(form, one.Value("department"), value)
				key.Row += " by " + attribute
				return key
			}
			s.KeyWith = func(of workflow.Subject, _, attribute, value string) entity.Key { return listed(of, attribute, value) }
			table := s.TableOf
			s.TableOf = func(place string) string {
				return table(map[string]string{"cities": "names"}[place] + map[string]string{"names": "names"}[place])
			}
			// A city can be called what somebody else is: lists are of a property.
			living := func(number, last, city int) thing {
				one := employee(form, number, 3)
				one.values["last"], one.values["city"] = fmt.Sprintf("name%d", last), fmt.Sprintf("name%d", city)
				one.keys["names"], one.keys["cities"] = listed(one, "last", one.values["last"]), listed(one, "city", one.values["city"])
				one.properties = []entity.Property{{Name: "LastName", Value: entity.String(one.values["last"])}, {Name: "City", Value: entity.String(one.values["city"])}}
				return one
			}
			byName := indexGiven(form, nil)
			byCity := map[string]string{"form": form, "place": "cities", "attribute": "city", "property": "City"}
			rng := rand.New(rand.NewPCG(seed, 3))
			var list []thing
			for n := range 16 {
				list = append(list, living(n, n%3, n%4))
			}
			w.store("Test", list...)
			s.Loaded, s.Member = 16, func(n uint64) workflow.Subject { return list[n] }
			var all []workflow.Workflow
			for n, one := range list {
				for _, given := range []map[string]string{byName, byCity} {
					all = append(all, perform(t, s, "index-build", uint64(n), indexWith("index-build", given), one))
					all = append(all, perform(t, s, "index-rename", uint64(len(all)), indexWith("index-rename", given), one, living(100+n, rng.IntN(3), rng.IntN(4))))
					if form != "partition" {
						all = append(all, perform(t, s, "index-work", uint64(len(all)), indexWith("index-work", given), one))
					}
				}
			}
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			w.race(seed, 5, 20, all)
			for n := range list {
				for _, given := range []map[string]string{byName, byCity} {
					// Of those that were renamed before they were in a list, the lists know now.
					w.run(perform(t, s, "index-build", uint64(n), indexWith("index-build", given), list[n]))
				}
			}
			for _, given := range []map[string]string{byName, byCity} {
				if found := indexFaults(w, s, given); found.Faults != 0 || found.Looked < 16 {
					t.Errorf("form %s, seed %d, by %s: %d faults in %d, %q; want none in 16 at least", form, seed, given["property"], found.Faults, found.Looked, found.Examples)
				}
			}
		}
	}
}
