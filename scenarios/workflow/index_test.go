package workflow_test

import (
	"fmt"
	"maps"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// indexGiven returns the parameters of an index of a form, with some more.
func indexGiven(form string, more map[string]string) map[string]string {
	given := map[string]string{"form": form, "place": "names", "attribute": "last", "property": "LastName"}
	maps.Copy(given, more)
	return given
}

// indexWith returns those of them that a workflow takes.
func indexWith(kind string, given map[string]string) map[string]string {
	taken := map[string]string{}
	for name, value := range given {
		if workflow.Find(kind).Parameter(name) != nil {
			taken[name] = value
		}
	}
	return taken
}

// indexPlace returns the key of the list of a name under a form.
func indexPlace(form, department, last string) entity.Key {
	if form == "partition" {
		return entity.Key{Partition: department, Row: "last " + last}
	}
	return entity.Key{Partition: last, Row: "list"}
}

// employee returns an employee of one of two departments, with one of so many names.
func employee(form string, number, names int) thing {
	last, department := fmt.Sprintf("name%d", number%names), fmt.Sprintf("department%d", number%2)
	return thing{number: uint64(number), keys: map[string]entity.Key{
		"": {Partition: department, Row: fmt.Sprintf("%06d", number)}, "names": indexPlace(form, department, last)},
		values:     map[string]string{"last": last, "department": department},
		properties: []entity.Property{{Name: "LastName", Value: entity.String(last)}}}
}

// indexSetting returns a world with a setting for an index.
func indexSetting(t *testing.T, form string, loaded ...workflow.Subject) (*world, *workflow.Setting) {
	w := newWorld(t, "Lists")
	places := map[string]string{"names": "Lists"}
	if form == "partition" {
		places = nil
	}
	s := w.setting(places, loaded...)
	s.KeyWith = func(of workflow.Subject, _, _, value string) entity.Key {
		return indexPlace(form, of.Value("department"), value)
	}
	return w, s
}

// indexFaults returns how many faults the check finds, and at how much it looked.
func indexFaults(w *world, s *workflow.Setting, given map[string]string) workflow.Findings {
	w.t.Helper()
	check := workflow.Find("index-add").Check(s, workflow.Find("index-add").Settle(indexWith("index-add", given)))
	if !w.run(check) {
		w.t.Fatalf("the check that %s did not come to its end", check.Name())
	}
	return check.Findings()
}

var indexForms = []string{"partition", "place", "blob"}

// indexBustle returns operations of all kinds on a few employees with fewer names: some
// that were loaded, some that are added, with workers in between.
func indexBustle(t *testing.T, s *workflow.Setting, form string, given map[string]string) []workflow.Workflow {
	var all []workflow.Workflow
	add := func(kind string, about thing, fresh ...thing) {
		all = append(all, perform(t, s, kind, uint64(len(all)), indexWith(kind, given), about, fresh...))
	}
	for k := range 24 {
		built := employee(form, k%8, 3)
		all = append(all, perform(t, s, "index-build", uint64(k%8), indexWith("index-build", given), built))
		one := employee(form, 10+k, 3)
		add("index-add", one)
		add("index-rename", employee(form, (k*5)%20, 3), employee(form, 100+k, 3))
		if k%3 == 0 {
			add("index-delete", employee(form, (k*7)%24, 3))
		}
		add("index-lookup", one)
		if form != "partition" {
			add("index-work", one)
			add("index-work", one)
		}
	}
	return all
}

// loadedEmployees returns so many as they are loaded.
func loadedEmployees(w *world, form string, count int) []workflow.Subject {
	var loaded []workflow.Subject
	for n := range count {
		one := employee(form, n, 3)
		loaded = append(loaded, one)
		w.do(&target.Operation{Verb: entity.Insert, Table: "Test", Change: entity.Change{
			Verb: entity.Insert, Key: one.Key(""), Properties: one.Properties()}})
	}
	return loaded
}

// However attempts interleave and get lost, and whichever clients and workers die, each
// list names those that are there with its name, and nobody else.
func TestIndexesAgreeWithTheirEntities(t *testing.T) {
	for _, form := range indexForms {
		for _, announced := range []string{"first", "last"} {
			given := indexGiven(form, map[string]string{"announced": announced, "hidden": "300s"})
			if announced == "first" {
				given["killed"] = "20%"
			}
			for seed := range uint64(12) {
				w, s := indexSetting(t, form)
				w.page = int(seed % 4) // 0 has a reply list all
				loaded := loadedEmployees(w, form, 8)
				s.Loaded, s.Member = 8, func(n uint64) workflow.Subject { return loaded[n] }
				for i, ended := range w.race(seed, 6, 20, indexBustle(t, s, form, given)) {
					if !ended {
						t.Errorf("form %s, announced %s, seed %d: operation %d failed", form, announced, seed, i)
					}
				}
				found := indexFaults(w, s, given)
				if found.Faults > 0 || found.Looked < 20 {
					t.Errorf("form %s, announced %s, seed %d: %d faults in %d, %q; want none in 20 at least", form, announced, seed, found.Faults, found.Looked, found.Examples)
				}
			}
		}
	}
}
