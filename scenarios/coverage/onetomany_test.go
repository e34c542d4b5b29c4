package coverage_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

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
		how, renamed := "read, write there, delete here", one.renamed(employed)
		if one.moved.requests == 1 {
			how = "merge"
		}
		shown := "`" + one.move.example + "`"
		if one.rename.example != one.move.example {
			shown += ", `" + one.rename.example + "`"
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
