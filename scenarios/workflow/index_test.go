package workflow_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/results/resultstest"
	"loadgen/scenarios/workflow"
	"loadgen/target"
)

// indexGiven returns the parameters of an index of a form, with some more.
func indexGiven(form string, more args) args {
	given := args{"form": form, "place": "names", "attribute": "last", "property": "LastName"}
	maps.Copy(given, more)
	return given
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
		values: map[string]string{"last": last, "department": department}, properties: []entity.Property{text("LastName", last)}}
}

// indexed is a world with an index of a form.
type indexed struct {
	*world
	form  string
	given args
}

// newIndexed returns one where so many of three names are loaded.
func newIndexed(t *testing.T, form string, loaded int, more args) *indexed {
	places := "names=Lists"
	if form == "partition" {
		places = "names="
	}
	x := &indexed{newWorld(t, places), form, indexGiven(form, more)}
	x.KeyWith = func(of workflow.Subject, _, _, value string) entity.Key {
		return indexPlace(form, of.Value("department"), value)
	}
	var list []thing
	for n := range loaded {
		list = append(list, employee(form, n, 3))
	}
	x.load(list...)
	return x
}

// act returns operation k of a kind on the index.
func (x *indexed) act(kind string, k int, about thing, fresh ...thing) *workflow.Procedure {
	x.t.Helper()
	return x.op(kind, k, x.given, about, fresh...)
}

// must carries such an operation out, which has to end well.
func (x *indexed) must(kind string, k int, about thing, fresh ...thing) {
	x.t.Helper()
	require.Truef(x.t, x.run(x.act(kind, k, about, fresh...)), "form %s: %s %d failed", x.form, kind, k)
}

// work has a worker take a message, where the form has any.
func (x *indexed) work(k int) {
	x.t.Helper()
	if x.form != "partition" {
		x.must("index-work", k, thing{})
	}
}

// faults complains unless the check finds so many, in so many at least.
func (x *indexed) faults(what string, want, least int64) {
	x.t.Helper()
	if found := x.check("index-add", x.given); found.Faults != want || found.Looked < least {
		x.t.Errorf("%s, form %s: %d faults in %d, %q; want %d in %d at least", what, x.form, found.Faults, found.Looked, found.Examples, want, least)
	}
}

var indexForms = []string{"partition", "place", "blob"}

// bustle returns operations of all kinds on a few employees with fewer names: some
// that were loaded, some that are added, with workers in between.
func (x *indexed) bustle() []*workflow.Procedure {
	var all []*workflow.Procedure
	add := func(kind string, about thing, fresh ...thing) {
		all = append(all, x.act(kind, len(all), about, fresh...))
	}
	for k := range 24 {
		all = append(all, x.act("index-build", k%8, employee(x.form, k%8, 3)))
		one := employee(x.form, 10+k, 3)
		add("index-add", one)
		add("index-rename", employee(x.form, (k*5)%20, 3), employee(x.form, 100+k, 3))
		if k%3 == 0 {
			add("index-delete", employee(x.form, (k*7)%24, 3))
		}
		add("index-lookup", one)
		if x.form != "partition" {
			add("index-work", one)
			add("index-work", one)
		}
	}
	return all
}

// However attempts interleave and get lost, and whichever clients and workers die, each
// list names those that are there with its name, and nobody else.
func TestIndexesAgreeWithTheirEntities(t *testing.T) {
	for _, form := range indexForms {
		for announced, killed := range map[string]string{"first": "20%", "last": "0"} {
			for seed := range uint64(12) {
				x := newIndexed(t, form, 8, args{"announced": announced, "hidden": "300s", "killed": killed})
				x.page = int(seed % 4) // 0 has a reply list all
				x.raceWell(seed, 6, 20, x.bustle())
				x.faults(fmt.Sprintf("announced %s, seed %d", announced, seed), 0, 20)
			}
		}
	}
}

// Lists that are written over whatever is there by then lose what somebody else has
// entered, and the check says so.
func TestIndexesWrittenBlindlyLose(t *testing.T) {
	for _, form := range indexForms {
		x := newIndexed(t, form, 8, args{"blind": "true", "announced": "last"})
		x.race(1, 6, 0, x.bustle())
		if found := x.check("index-add", x.given); found.Faults == 0 || len(found.Examples) == 0 {
			t.Errorf("form %s: %d faults in %d, examples %q; want some", form, found.Faults, found.Looked, found.Examples)
		}
	}
}

// A client that dies after it has written, and before it has said so, leaves an entity
// that no list names; one that has said so before does not.
func TestIndexesOfClientsThatDie(t *testing.T) {
	for announced, faults := range map[string]int64{"last": 10, "first": 0} {
		x := newIndexed(t, "place", 0, args{"announced": announced, "killed": "100%"})
		all := several(10, func(k int) *workflow.Procedure { return x.act("index-add", k, employee("place", k, 3)) })
		assert.EqualValuesf(t, 10, total(x.runAll(all), "killed"), "announced %s: died", announced)
		x.faults("announced "+announced, faults, 0)
	}
}

// The requests of each operation, on lists that nobody else writes.
func TestIndexRequests(t *testing.T) {
	for _, row := range resultstest.Rows(t, "testdata/indexes.txt", 4) {
		x := newIndexed(t, row[1], 0, args{"announced": "last"})
		for k := range 4 {
			x.must("index-add", k, employee(row[1], 2*k, 2))
			x.work(k)
		}
		clear(x.requests)
		x.given = indexGiven(row[1], nil)
		p := x.act(row[0], 9, employee(row[1], 0, 2), employee(row[1], 21, 2))
		if row[0] == "index-add" {
			p = x.act(row[0], 9, employee(row[1], 20, 2))
		}
		if row[0] != "index-lookup" && row[0] != "index-work" {
			assert.Equalf(t, row[2], fmt.Sprint(foreseen(p)), "%s, form %s", row[0], row[1])
		}
		assert.True(t, x.run(p), row[0])
		assert.Equalf(t, row[2]+row[3], fmt.Sprint(x.requests)+fmt.Sprint(counted(p)), "%s, form %s", row[0], row[1])
	}
}

// A list in an entity ends at 1 MiB: the entity is not written with it, or not listed.
// In a blob it goes on.
func TestIndexesThatAreFull(t *testing.T) {
	long := func(form string, k int) thing {
		one := employee(form, 2*k, 1)
		one.keys[""] = entity.Key{Partition: "department0", Row: strings.Repeat("x", 400) + one.keys[""].Row}
		return one
	}
	for _, row := range []struct {
		form, says   string
		ended        bool
		full, faults int64
	}{
		{"partition", "neither is written", false, 1, 0},
		{"place", "it is there, and in no list", true, 1, 1},
		{"blob", "it is listed", true, 0, 0},
	} {
		for _, room := range []int{0, 1} {
			x := newIndexed(t, row.form, 0, args{"announced": "last"})
			// Lists as they are after long use, under the names of employees nobody has seen.
			last := long(row.form, 1<<18)
			line := func(n int) string {
				if row.form == "partition" {
					return long(row.form, n).keys[""].Row
				}
				return "department0\t" + long(row.form, n).keys[""].Row
			}
			lines, each := []string{"LastName\tname0"}, len(line(0))+1
			// The list is measured near its end only.
			for len(lines)*each < 1_020_000 || entity.Size(last.keys["names"], listProperties(lines))+(1+room)*each <= entity.MaxEntityBytes {
				lines = append(lines, line(len(lines)))
			}
			x.presetList(last.keys["names"], lines)
			p := x.act("index-add", 1, last)
			ended, full := x.run(p), counted(p)["full"]
			if row.form != "partition" {
				work := x.act("index-work", 1, last)
				x.run(work)
				full += counted(work)["full"]
			}
			// Whom the list names has never been there: all but the one that was added.
			wantEnded, wantFull, faults := row.ended, row.full, row.faults
			if room > 0 {
				wantEnded, wantFull, faults = true, 0, 0
			}
			x.faults(row.says, faults+int64(len(lines)-1), 0)
			assert.Truef(t, ended == wantEnded && full == wantFull,
				"form %s, room for %d more: ended well %t, full %d; want %t, %d", row.form, room, ended, full, wantEnded, wantFull)
		}
	}
}

// presetList writes a list whole.
func (x *indexed) presetList(key entity.Key, lines []string) {
	x.t.Helper()
	text := strings.Join(lines, "\n")
	if x.form == "blob" {
		x.do(&target.Operation{Beside: &target.Beside{Verb: target.PutBlob, Store: "test-lists", Name: key.Partition + "/" + key.Row, Body: []byte(text)}})
		return
	}
	x.change(entity.Insert, x.TableOf("names"), key, listProperties(lines)...)
}

// listProperties returns a list as the properties of an entity.
func listProperties(lines []string) (properties []entity.Property) {
	text := strings.Join(lines, "\n")
	for name := "Ids"; text != ""; name = fmt.Sprintf("Ids%02d", len(properties)+1) {
		size := min(len(text), entity.MaxBinaryBytes)
		properties = append(properties, entity.Property{Name: name, Value: entity.Binary([]byte(text[:size]))})
		text = text[size:]
	}
	return properties
}

// A check that loses the reply with what was left on the queue waits for it to come back,
// rather than fault a list that a worker would have set right.
func TestIndexCheckWaitsForWhatItLost(t *testing.T) {
	for _, form := range []string{"place", "blob"} {
		for lost := range 3 {
			x := newIndexed(t, form, 0, nil)
			x.must("index-add", 0, employee(form, 0, 3))
			check, received := x.checkOf("index-add", x.given), 0
			x.lose(checks(check), func(op *target.Operation, _ int) bool {
				if requestName(op) == "receive-messages" {
					received++
				}
				return received == lost+1
			})
			if found := check.Findings; found.Faults > 0 || found.Looked < 2 {
				t.Errorf("form %s, reply %d lost: %d faults in %d, %q; want none, in 2", form, lost, found.Faults, found.Looked, found.Examples)
			}
		}
	}
}

// A worker that is slow has read that an employee has a name. The employee is renamed, and
// another worker has nothing to strike off the list of the old name: it writes it all the
// same, so that the slow one has to look again.
func TestIndexWorkersOvertakenWithoutAChange(t *testing.T) {
	for _, form := range []string{"place", "blob"} {
		x := newIndexed(t, form, 0, args{"announced": "last"})
		about := employee(form, 0, 3)
		// The list is there, and empty.
		x.must("index-add", 1, employee(form, 6, 3))
		x.work(1)
		x.must("index-delete", 2, employee(form, 6, 3))
		x.work(1)
		x.must("index-add", 3, about)
		slow := begun(x.act("index-work", 1, about))
		x.steps(slow, 3)
		x.must("index-rename", 4, about, employee(form, 1, 3))
		x.work(1)
		x.finish(slow)
		x.faults("overtaken", 0, 2)
		assert.Truef(t, counted(slow.Procedure)["conflicts"] == 1,
			"form %s: the slow one counted %v; want a conflict", form, counted(slow.Procedure))
	}
}

// What the check tells apart.
func TestIndexCheckFindsFaults(t *testing.T) {
	key := employee("partition", 0, 3).keys[""]
	for _, row := range []struct {
		says    string
		alter   func(x *indexed)
		faults  int64
		example string
	}{
		{"nothing is wrong", func(*indexed) {}, 0, ""},
		{"an employee is deleted, and the list not told", func(x *indexed) { x.change(entity.Delete, "Test", key) }, 1, "missing"},
		{"an employee is renamed, and no list told", func(x *indexed) { x.change(entity.Merge, "Test", key, text("LastName", "other")) }, 2, "other"},
		{"an employee is written, and the list not told", func(x *indexed) {
			x.put("Test", entity.Key{Partition: "department0", Row: "900000"}, text("LastName", "name0"))
		}, 1, "0 times"},
		{"two lists name an employee", func(x *indexed) {
			x.presetList(entity.Key{Partition: key.Partition, Row: "again"}, []string{"LastName\tname0", key.Row})
		}, 1, "2 times"},
	} {
		x := newIndexed(t, "partition", 0, nil)
		for k := range 3 {
			x.must("index-add", k, employee("partition", k, 3))
		}
		row.alter(x)
		found := x.check("index-add", x.given)
		assert.Truef(t, found.Faults == row.faults && strings.Contains(strings.Join(found.Examples, "\n"), row.example),
			"%s: %d faults, %q; want %d, one with %q", row.says, found.Faults, found.Examples, row.faults, row.example)
	}
}

// Two indexes whose lists lie in one table, one partition or one container, and that go by
// one queue, are each kept whole, by whichever's workers, and checked by themselves.
func TestTwoIndexesSideBySide(t *testing.T) {
	for _, form := range indexForms {
		for seed := range uint64(4) {
			x := newIndexed(t, form, 0, nil)
			listed := func(one workflow.Subject, attribute, value string) entity.Key {
				key := indexPlace(form, one.Value("department"), value)
				key.Row += " by " + attribute
				return key
			}
			x.KeyWith = func(of workflow.Subject, _, attribute, value string) entity.Key { return listed(of, attribute, value) }
			table := x.TableOf
			x.TableOf = func(place string) string { return table(strings.Replace(place, "cities", "names", 1)) }
			// A city can be called what somebody else is: lists are of a property.
			living := func(number, last, city int) thing {
				one := employee(form, number, 3)
				one.values["last"], one.values["city"] = fmt.Sprint("name", last), fmt.Sprint("name", city)
				one.keys["names"], one.keys["cities"] = listed(one, "last", one.values["last"]), listed(one, "city", one.values["city"])
				one.properties = []entity.Property{text("LastName", one.values["last"]), text("City", one.values["city"])}
				return one
			}
			indexes := []args{x.given, {"form": form, "place": "cities", "attribute": "city", "property": "City"}}
			rng := rand.New(rand.NewPCG(seed, 3))
			var list []thing
			for n := range 16 {
				list = append(list, living(n, n%3, n%4))
			}
			x.load(list...)
			var all, builds []*workflow.Procedure
			for n, one := range list {
				for _, given := range indexes {
					all = append(all, x.op("index-build", n, given, one))
					all = append(all, x.op("index-rename", len(all), given, one, living(100+n, rng.IntN(3), rng.IntN(4))))
					if form != "partition" {
						all = append(all, x.op("index-work", len(all), given, one))
					}
					builds = append(builds, x.op("index-build", n, given, one))
				}
			}
			rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			x.race(seed, 5, 20, all)
			// Of those that were renamed before they were in a list, the lists know now.
			x.runAll(builds)
			for _, given := range indexes {
				x.given = given
				x.faults(fmt.Sprint("seed ", seed, " by ", given["property"]), 0, 16)
			}
		}
	}
}
