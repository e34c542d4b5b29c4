package coverage_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func relations() []row {
	const group = "Relations"
	return []row{
		{67, group, guide, "If employees repeat the name of their department, renaming it rewrites all of them, 100 in a transaction.",
			"`loadgen simulate one-to-many-rename --anti-pattern`, `loadgen simulate one-to-many-partition`, `loadgen simulate one-to-many-move`",
			"employees of a department", "requests of a rename: the department, its employees, and a transaction for each 100; one without copies of the name", false,
			vary(func(n int) band { return exactly(2 + (n+99)/100) }, requestsOfRename, 80, 250)},
		{68, group, guide, "A related entity is one read by an implicit key, and two by a stored link.",
			"`loadgen simulate one-to-one`, `loadgen simulate inheritance`", "how the portrait is found", "requests for each read", false,
			vary(either("by-key", exactly(1), exactly(2)), func(t testing.TB, design string) float64 {
				with := "{from: portrait}"
				if design == "by-link" {
					with = "{link: Portrait, to: portrait}"
				}
				return play(t, "one-to-one", "use="+design, "phases.day.for=4s", set("phases.day.operations", "[{name: look, workflow: read-linked, with: "+with+"}]")).each(t, "requests", "look")
			}, "by-key", "by-link")},
		{69, group, guide, "The client reads a small, rarely changed table once and caches it.", "`loadgen simulate cached-join`",
			"operations until the cache is read again", "requests for each operation: one, and one for each so many", false,
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
		{70, group, patterns, "Entities of several types share a table: a prefix of the RowKey selects one type without reading the others.",
			"`loadgen simulate heterogeneous-types`", "entities of each of four types", "entities counted for one type: those; by a property all of them", quick,
			vary(exactly[int], countedOfType, 12, 60)},
		{71, group, patterns, "Clients read entities of unknown type as property bags, and write them back without losing properties.",
			"`loadgen simulate property-bag`", "properties unknown to the client", "properties left after it changes another one", quick,
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

// form is one of the forms of one to many that the table design guide has, by what it lets
// the PartitionKey of an employee be.
type form struct {
	says, key string
	// move and rename play one of either in this form.
	move, rename changeOf
	// moved is by the rule what a move costs, renamed what a rename of a department of n costs.
	moved   cost
	renamed func(n int) cost
}

// cost is what an operation comes to: requests, and entities counted.
type cost struct{ requests, counted int }

// changeOf is an operation of an example, with what that has to have for it.
type changeOf struct {
	example, operation string
	settings           []string
}

// formsOfOneToMany returns the forms. Whose PartitionKey is the department leaves it by a read, a
// write there and a delete here, for no transaction spans partitions; whose is its own
// changes a property. A department named once is renamed by a write, one whose name its
// employees repeat by a query for them and a transaction to each hundred besides: the
// query counts each, and so does its write.
func formsOfOneToMany() []form {
	const (
		employee = "{name: Employee, value: \"{employee}\"}"
		own      = "{name: move, workflow: move, with: {member: Employee, group: Department}}"
		between  = "{name: move, workflow: move, with: {member: Employee, group: %s, keyed: by-group}}"
		named    = "{name: rename, workflow: write-group, with: {place: department}}"
		repeated = "{name: rename, workflow: write-group, with: {place: department, copied: DepartmentName}}"
	)
	properties := func(group string) string {
		return fmt.Sprintf("entity.properties=[%s, {name: %s, value: \"{department}\"}]", employee, group)
	}
	byDepartment := fmt.Sprintf(between, "Department")
	three, one := cost{3, 3}, cost{1, 1}
	once := func(int) cost { return one }
	return []form{
		{"one partition", "the department", changeOf{"one-to-many-partition", byDepartment, []string{"use=together", properties("Department")}},
			changeOf{"one-to-many-partition", named, []string{"use=together"}}, three, once},
		{"separate tables", "the department", changeOf{"one-to-many-partition", byDepartment, []string{"use=apart", properties("Department")}},
			changeOf{"one-to-many-partition", named, []string{"use=apart"}}, three, once},
		{"separate tables", "the employee", changeOf{"one-to-many-move", own, nil},
			changeOf{"one-to-many-rename", named, nil}, one, once},
		{"denormalized", "the department", changeOf{"one-to-many-rename", fmt.Sprintf(between, "DepartmentName"), []string{properties("DepartmentName")}},
			changeOf{"one-to-many-rename", repeated, []string{properties("DepartmentName")}}, three,
			func(n int) cost { return cost{2 + (n+99)/100, 1 + 2*n} }},
	}
}

// employed is how many employees the departments of the page have.
const employed = 250

// rowsOfOneToMany are what the page has of the forms.
func rowsOfOneToMany() (lines []string) {
	for _, one := range formsOfOneToMany() {
		how, renamed := "read, insert there, delete here", one.renamed(employed)
		if one.moved.requests == 1 {
			how = "merge"
		}
		shown := "`loadgen simulate " + one.move.example + "`"
		if one.rename.example != one.move.example {
			shown += ", `loadgen simulate " + one.rename.example + "`"
		}
		lines = append(lines, fmt.Sprintf("| %s | %s | %s | %d | %d | %d | %d | %s |\n", one.says, one.key, how,
			one.moved.requests, one.moved.counted, renamed.requests, renamed.counted, shown))
	}
	return lines
}

// played returns what each of the operations of an example cost: five, of departments of n.
func (c *changeOf) played(t testing.TB, n int) (requests, counted float64) {
	settings := append([]string{"model.partition_target=0", set("phases.day.operations", "["+c.operation+"]"),
		"phases.day.arrivals.constant=1", "phases.day.for=5s"}, c.settings...)
	if c.example != "one-to-many-move" {
		settings = append(settings, set("attributes.department", fmt.Sprintf("{partitions: 8, rows: %d}", n)), set("phases.load.load.entities", 8*n))
	}
	if c.example == "one-to-many-rename" {
		settings = append(settings, "phases.found.for=2s")
	}
	p := play(t, c.example, settings...)
	name, left := "rename", 0.0
	if strings.Contains(c.operation, "workflow: move") {
		// Who is to move to the own department is read, and stays.
		name, left = "move", p.of(t, "counter(move, elsewhere)")
	}
	done := p.of(t, "operations("+name+")") - left
	require.Truef(t, done != 0, "%s: nobody moves", c.example)
	return (p.of(t, "requests("+name+")") - left) / done, (p.of(t, "counted("+name+")") - left) / done
}

// A move and a rename cost in each form what the rule says.
func TestCostsOfOneToMany(t *testing.T) {
	for _, n := range []int{80, employed} {
		for _, one := range formsOfOneToMany() {
			of := fmt.Sprintf("%s, keyed by %s, %d employees", one.says, one.key, n)
			hold := func(what string, change *changeOf, want cost) {
				if requests, counted := change.played(t, n); requests != float64(want.requests) || counted != float64(want.counted) {
					t.Errorf("%s: a %s takes %v requests and counts %v; want %d and %d", of, what, requests, counted, want.requests, want.counted)
				}
			}
			hold("move", &one.move, one.moved)
			hold("rename", &one.rename, one.renamed(n))
		}
	}
}
