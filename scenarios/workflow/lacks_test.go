package workflow_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// placeholder is an attribute in a template of a key.
var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// design is one of employees by department, which has what every kind needs.
func design() *workflow.Design {
	names := func(template string) (list []string) {
		for _, match := range placeholder.FindAllStringSubmatch(template, -1) {
			list = append(list, match[1])
		}
		return list
	}
	place := func(table, partition, row string) workflow.DesignPlace {
		return workflow.DesignPlace{Table: table, PartitionKey: partition, RowKey: row, PartitionNames: names(partition), RowNames: names(row)}
	}
	return &workflow.Design{Loaded: true, Attributes: []string{"department", "employee", "badge", "last", "card", "office"},
		Properties: []workflow.DesignProperty{
			{Name: "Employee", Attribute: "employee"}, {Name: "Department", Attribute: "department", Type: entity.TypeString},
			{Name: "Salary", Type: entity.TypeInt32}, {Name: "Badge", Attribute: "badge"}, {Name: "Name"},
			{Name: "LastName", Attribute: "last", Type: entity.TypeString}, {Name: "Number", Attribute: "employee", Type: entity.TypeInt32},
			{Name: "Card", Attribute: "card", Type: entity.TypeString}, {Name: "At", Type: entity.TypeDateTime}},
		Own: place("", "{department}", "{employee}"),
		Places: map[string]workflow.DesignPlace{
			"department":  place("", "{department}", "department"),
			"badge":       place("Badges", "{badge}", "{badge}"),
			"odd":         place("Odd", "{office}", "{badge}"),
			"each":        place("", "{department}", "of {employee}"),
			"archive":     place("Archive", "{department}", "{employee}"),
			"former":      place("", "former", "{department}_{employee}"),
			"same":        place("", "{department}", "{employee}"),
			"whole":       place("Archive", "former", "{department}"),
			"names":       place("", "{department}", "last {last}"),
			"all-names":   place("Names", "{last}", "list"),
			"other-names": place("", "{last}", "list"),
			"table-names": place("Names", "{department}", "{last}"),
			"one-list":    place("Names", "names", "list"),
			"each-name":   place("", "{department}", "{last}_{employee}"),
			"every-name":  place("", "{last}", "{employee}"),
		}}
}

// given returns the parameters of a text, such as "property=Card verb=merge", as far as the
// kind has them.
func given(kind *workflow.Kind, text string) map[string]string {
	parameters := map[string]string{}
	for _, word := range strings.Fields(text) {
		if name, value, _ := strings.Cut(word, "="); kind.Parameter(name) != nil {
			parameters[name] = value
		}
	}
	return parameters
}

// What a design lacks for a workflow is told by the parameter that asks for it, "load" where
// none does.
func TestWhatDesignsLack(t *testing.T) {
	unloaded := func(d *workflow.Design) { d.Loaded = false }
	inRow := func(names ...string) func(d *workflow.Design) {
		return func(d *workflow.Design) { d.Own.RowNames = append(d.Own.RowNames, names...) }
	}
	inPartition := func(name string) func(d *workflow.Design) {
		return func(d *workflow.Design) { d.Own.PartitionNames = append(d.Own.PartitionNames, name) }
	}
	named := func(d *workflow.Design) {
		d.Own.RowKey, d.Own.RowNames = "{last}_{employee}", []string{"last", "employee"}
	}
	alone := func(d *workflow.Design) {
		d.Own = workflow.DesignPlace{PartitionKey: "{employee}", RowKey: "employee", PartitionNames: []string{"employee"}}
	}
	twice := func(d *workflow.Design) { d.Properties[4].Attribute = "card" }
	const move, index = "member=Employee group=Department ", "attribute=last property=LastName "
	for _, row := range []struct {
		says, kind, given string
		alter             func(d *workflow.Design)
		lacks             string
	}{
		{"a link to what it names", "read-linked", "link=Badge to=badge", nil, ""},
		{"a place needs no link", "read-linked", "from=badge", nil, ""},
		{"nothing names the second place", "read-linked", "to=badge", nil, "to"},
		{"a number is no link", "read-linked", "link=Salary to=badge", nil, "link"},
		{"a link to another RowKey", "read-linked", "link=Badge to=department", nil, "to"},
		{"a link to where the reader is", "read-linked", "link=Employee", nil, "to"},
		{"a PartitionKey that the reader cannot know", "read-linked", "link=Badge to=odd", nil, "to"},
		{"a small table of its own", "join", "place=badge refresh=5", nil, ""},
		{"a small table that is none", "join", "place=department refresh=5", nil, "place"},
		{"a lookup reads no table", "join", "place=department", nil, ""},
		{"a group is the PartitionKey", "move", move + "keyed=by-group", nil, ""},
		{"keys that a move would change", "move", move, nil, "keyed"},
		{"a group that is not in the PartitionKey", "move", "member=Employee group=Badge keyed=by-group", nil, "keyed"},
		{"a group beside something else", "move", move + "keyed=by-group", inPartition("office"), "keyed"},
		{"a group in the RowKey, too", "move", move + "keyed=by-group", inRow("department"), "keyed"},
		{"a group that no fact is", "move", "member=Employee group=Salary", nil, "group"},
		{"members that are their groups", "move", "member=Badge group=Badge", nil, "member"},
		{"nobody to be moved", "move", "member=Employee group=Badge", unloaded, "load"},
		{"a group's own entity anywhere", "write-group", "place=badge", nil, ""},
		{"members find their group by the partition", "write-group", "place=department copied=Badge", nil, ""},
		{"members of another partition", "write-group", "place=badge copied=Badge", nil, "place"},
		{"an own entity for each member", "write-group", "place=each copied=Badge", nil, "place"},
		{"a name that is a number", "write-group", "place=department copied=Salary", nil, "copied"},
		{"a name that is the group's", "write-group", "place=department copied=Name", nil, "copied"},
		{"a summary of a partition", "summed-insert", "summary=department adds=Salary", nil, ""},
		{"a summary for each entity", "summed-insert", "summary=each adds=Salary", nil, "summary"},
		{"a sum of texts", "summed-insert", "summary=department adds=Badge", nil, "adds"},
		{"a property that is not known", "bag-update", "changes=Salary unknown=Badge", nil, ""},
		{"a property known and not known", "bag-update", "changes=Salary unknown=Salary", nil, "unknown"},
		{"nothing to be changed", "bag-update", "changes=Salary unknown=Badge", unloaded, "load"},

		{"the same keys in another table", "archive-work", "place=archive", nil, ""},
		{"another partition of the same table", "archive-request", "place=former", nil, ""},
		{"nobody to be archived", "archive-look", "place=archive", unloaded, "load"},
		{"where they are already", "archive-naive", "place=same", nil, "place"},
		{"one row for a whole department", "archive-work", "place=whole", nil, "place"},

		{"a text that nothing else tells", "seal-put", "property=Card", nil, ""},
		{"a merge of sealed texts", "seal-put", "property=Card verb=merge", nil, "verb"},
		{"a number", "seal-put", "property=Salary", nil, "property"},
		{"a text in the PartitionKey", "seal-get", "property=Card", inPartition("card"), "property"},
		{"a text in the RowKey", "seal-put", "property=Card", inRow("id", "card"), "property"},
		{"a text in another property", "seal-replace", "property=Card", twice, "property"},
		{"neither property nor rules", "seal-put", "", nil, "load"},
		{"a property and rules", "seal-get", "property=Card resolver=*/*/Card", nil, "property"},
		{"rules of texts", "seal-put", "resolver=*/*/C*", nil, ""},
		{"rules of a number, too", "seal-put", "resolver=*/*/Card,*/*/Salary", nil, "resolver"},
		{"a rule of no property", "seal-put", "resolver=*/*/Card,*/*/Phone", nil, "resolver"},
		{"nothing to be replaced", "seal-replace", "property=Card", unloaded, "load"},

		{"a list in the same partition", "index-rename", index + "form=partition place=names", nil, ""},
		{"the same list, kept by a queue", "index-rename", index + "form=place place=names", nil, ""},
		{"a list over all departments", "index-add", index + "form=place place=all-names", nil, ""},
		{"a blob by department and name", "index-work", index + "form=blob place=names", nil, ""},
		{"a list of another partition in a transaction", "index-add", index + "form=partition place=other-names", nil, "place"},
		{"a list of another table in a transaction", "index-lookup", index + "form=partition place=table-names", nil, "place"},
		{"one list for all names", "index-delete", index + "form=place place=one-list", nil, "place"},
		{"a list for each employee", "index-add", index + "form=partition place=each-name", nil, "place"},
		{"a list for each who has a partition", "index-add", index + "form=place place=every-name", alone, "place"},
		{"a number that is listed as if it were the name", "index-build", "attribute=last property=Number form=partition place=names", nil, "property"},
		{"the key of who is renamed holds the name", "index-rename", index + "form=partition place=names", named, "attribute"},
		{"the key of who stays the same may hold it", "index-delete", index + "form=partition place=names", named, ""},
		{"a worker without a queue", "index-work", index + "form=partition place=names", nil, "form"},

		{"a place in the same partition", "store-with", "place=department", nil, ""},
		{"another PartitionKey", "store-with", "place=odd", nil, "place"},
		{"another table", "store-with", "place=archive", nil, "place"},
		{"series that are loaded", "series-put", "at=department", nil, ""},
		{"series that are not", "series-write", "at=department", unloaded, "load"},
		{"nor read", "series-get", "at=department", unloaded, "load"},
		{"sets of what is loaded", "read-set", "sets=2", nil, ""},
		{"sets of nothing", "read-set", "sets=2", unloaded, "load"},
		{"a log by a time", "log-append", "time=At", nil, ""},
		{"a log by a number", "log-read", "time=Salary", nil, "time"},
	} {
		d, kind := design(), workflow.Find(row.kind)
		if row.alter != nil {
			row.alter(d)
		}
		var lacks []string
		for _, lack := range kind.Serves(d, kind.Settle(given(kind, row.given))) {
			if lack.Parameter == "" {
				lack.Parameter = "load"
			}
			lacks = append(lacks, lack.Parameter)
		}
		assert.Equalf(t, row.lacks, strings.Join(lacks, " "), "%s, %s: it lacks", row.kind, row.says)
	}
}
