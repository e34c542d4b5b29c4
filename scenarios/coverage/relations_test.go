package coverage_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func relations() []row {
	const group = "Relations"
	return []row{
		{67, group, guide, "Where employees repeat the name of their department, renaming it rewrites them all, by a hundred to a transaction.",
			"`one-to-many-rename`, `one-to-many-partition`, `one-to-many-move`", "employees of a department", "requests of a rename: the department, its employees, and a transaction for each 100; named once, one", false,
			vary(func(n int) band { return exactly(2 + (n+99)/100) }, requestsOfRename, 80, 250)},
		{68, group, guide, "What belongs to an entity is found under its keys at once, behind a link by a second read.",
			"`one-to-one`, `inheritance`", "how the portrait is found", "requests of each look", false,
			vary(either("by-key", exactly(1), exactly(2)), func(t testing.TB, design string) float64 {
				with := "{from: portrait}"
				if design == "by-link" {
					with = "{link: Portrait, to: portrait}"
				}
				return play(t, "one-to-one", "use="+design, "phases.day.for=4s", set("phases.day.operations", "[{name: look, workflow: read-linked, with: "+with+"}]")).each(t, "requests", "look")
			}, "by-key", "by-link")},
		{69, group, guide, "A small table that hardly changes is read once and kept by the client.",
			"`cached-join`", "operations for which what was read is kept", "requests of each operation: one, and one for each so many", false,
			vary(func(n int) band { return exactly(1 + 1/float64(n)) }, playing[int]("requests(show) each", "cached-join",
				"phases.day.operations=[{name: show, workflow: join, with: {place: department, refresh: %v}}]"), 100, 20)},
	}
}

func requestsOfRename(t testing.TB, n int) float64 {
	forms := formsOfOneToMany()
	named, _ := forms[2].rename.played(t, n)
	assert.EqualValues(t, 1, named, "a rename of a department named once is requests")
	repeated, _ := forms[3].rename.played(t, n)
	return repeated
}

func types() []row {
	const group = "Types of entities"
	return []row{
		{70, group, patterns, "Entities of several types share a table: by a prefix of the RowKey one type is read without the others.",
			"a table over HTTP, and `heterogeneous-types`", "entities of each of four types", "entities counted for one type: those; by a property all of them", quick,
			vary(exactly[int], countedOfType, 12, 60)},
		{71, group, patterns, "Entities of unknown type are read as a bag of properties, and written back without losing any.",
			"a table over HTTP, and `property-bag`", "properties that the client does not know", "how many of them are there after it has changed another one", quick,
			vary(exactly[int], unknownLeft, 1, 9)},
	}
}

func countedOfType(t testing.TB, n int) float64 {
	w := newWire(t)
	for _, kind := range []string{"DEPARTMENT1", "EMPLOYEE1", "EMPLOYEE2", "ROOM1"} {
		for i := range n {
			w.insert("office", fmt.Sprintf("%s_%06d", kind, i), fmt.Sprintf(`"EntityType":%q`, kind))
		}
	}
	assert.Equal(t, float64(4*n), w.returns(n, filtered("PartitionKey eq 'office' and EntityType eq 'EMPLOYEE1'")),
		"by a property")
	return w.returns(n, filtered("PartitionKey eq 'office' and RowKey ge 'EMPLOYEE1_' and RowKey lt 'EMPLOYEE1`'"))
}

// unknownLeft has a client that knows Phone alone read an entity, change that, and write all
// that it has read; it fails where a client that writes what it knows loses nothing.
func unknownLeft(t testing.TB, n int) float64 {
	update := func(bag bool) int {
		w := newWire(t)
		properties := `"Phone":"1"`
		for i := range n {
			properties += fmt.Sprintf(`,"Unknown%d":%d`, i, i)
		}
		w.insert("one", "1", properties)
		text := body("one", "1", `"Phone":"2"`)
		if bag {
			read := w.entity(at("one", "1"))
			read["Phone"] = "2"
			changed, err := json.Marshal(read)
			require.NoError(t, err)
			text = string(changed)
		}
		w.want(204, "PUT", at("one", "1"), text, "If-Match: *")
		left := 0
		for i := range n {
			if _, is := w.entity(at("one", "1"))[fmt.Sprint("Unknown", i)]; is {
				left++
			}
		}
		return left
	}
	assert.Zero(t, update(false), "a replace by what is known leaves")
	return float64(update(true))
}
