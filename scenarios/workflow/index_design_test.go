package workflow_test

import (
	"strings"
	"testing"

	"loadgen/engine/entity"
	"loadgen/scenarios/workflow"
)

// What a design lacks for an index, with the parameter that asks for it.
func TestIndexLacks(t *testing.T) {
	sound := func() *workflow.Design {
		return &workflow.Design{
			Attributes: []string{"department", "employee", "last"},
			Properties: []workflow.DesignProperty{{Name: "LastName", Attribute: "last", Type: entity.TypeString}, {Name: "Number", Attribute: "employee", Type: entity.TypeInt32}},
			Own:        workflow.DesignPlace{PartitionKey: "{department}", RowKey: "{employee}", PartitionNames: []string{"department"}, RowNames: []string{"employee"}},
			Places: map[string]workflow.DesignPlace{"names": {PartitionKey: "{department}", RowKey: "last {last}",
				PartitionNames: []string{"department"}, RowNames: []string{"last"}}},
		}
	}
	place := func(table, partition string, partitionNames []string, row string, rowNames ...string) func(d *workflow.Design) {
		return func(d *workflow.Design) {
			d.Places["names"] = workflow.DesignPlace{Table: table, PartitionKey: partition, RowKey: row, PartitionNames: partitionNames, RowNames: rowNames}
		}
	}
	unique := func(d *workflow.Design) {
		d.Own = workflow.DesignPlace{PartitionKey: "{employee}", RowKey: "employee", PartitionNames: []string{"employee"}}
		d.Places["names"] = workflow.DesignPlace{PartitionKey: "{last}", RowKey: "{employee}", PartitionNames: []string{"last"}, RowNames: []string{"employee"}}
	}
	named := func(d *workflow.Design) {
		d.Own.RowKey, d.Own.RowNames = "{last}_{employee}", []string{"last", "employee"}
	}
	for _, row := range []struct {
		says, kind, form string
		alter            func(d *workflow.Design)
		given            map[string]string
		parameter, lack  string
	}{
		{says: "a list in the same partition", kind: "index-rename", form: "partition"},
		{says: "the same list, kept by a queue", kind: "index-rename", form: "place"},
		{says: "a list over all departments", kind: "index-add", form: "place", alter: place("Names", "{last}", []string{"last"}, "list")},
		{says: "a blob by department and name", kind: "index-work", form: "blob"},
		{says: "a list of another partition in a transaction", kind: "index-add", form: "partition",
			alter: place("", "{last}", []string{"last"}, "list"), parameter: "place", lack: "with partition_key \"{department}\""},
		{says: "a list of another table in a transaction", kind: "index-lookup", form: "partition",
			alter: place("Names", "{department}", []string{"department"}, "{last}", "last"), parameter: "place", lack: "in the table of the entities"},
		{says: "one list for all names", kind: "index-delete", form: "place", alter: place("Names", "names", nil, "list"), parameter: "place", lack: "for any {last}"},
		{says: "a list for each employee", kind: "index-add", form: "partition",
			alter: place("", "{department}", []string{"department"}, "{last}_{employee}", "last", "employee"), parameter: "place", lack: "holds {employee}, which sets entities apart"},
		{says: "a list for each employee who has a partition", kind: "index-add", form: "place", alter: unique, parameter: "place", lack: "all that an entity's does"},
		{says: "a number that is listed as if it were the name", kind: "index-build", form: "partition",
			given: map[string]string{"property": "Number"}, parameter: "property", lack: "expected value: \"{last}\""},
		{says: "the key of who is renamed holds the name", kind: "index-rename", form: "partition", alter: named, parameter: "attribute", lack: "expected keys without it"},
		{says: "the key of who stays the same may hold it", kind: "index-delete", form: "partition", alter: named},
		{says: "a worker without a queue", kind: "index-work", form: "partition", parameter: "form", lack: "expected form: place, or blob"},
	} {
		d := sound()
		if row.alter != nil {
			row.alter(d)
		}
		kind := workflow.Find(row.kind)
		lacks := kind.Serves(d, kind.Settle(indexWith(row.kind, indexGiven(row.form, row.given))))
		switch {
		case row.lack == "" && len(lacks) > 0:
			t.Errorf("%s: lacks %q; want nothing", row.says, lacks)
		case row.lack != "" && (len(lacks) != 1 || lacks[0].Parameter != row.parameter || !strings.Contains(lacks[0].Says, row.lack) || !strings.Contains(lacks[0].Says, "; expected ")):
			t.Errorf("%s: lacks %q; want one thing of %s, with %q and what is expected", row.says, lacks, row.parameter, row.lack)
		}
	}
}

// The queue and the container that each form uses.
func TestIndexStores(t *testing.T) {
	for _, row := range []struct{ kind, form, stores string }{
		{"index-add", "partition", ""},
		{"index-add", "place", "queue changes"},
		{"index-work", "blob", "container lists, queue changes"},
		{"index-lookup", "place", ""},
		{"index-lookup", "blob", "container lists"},
	} {
		kind := workflow.Find(row.kind)
		var got []string
		for _, store := range kind.Stores(kind.Settle(indexWith(row.kind, indexGiven(row.form, nil)))) {
			what := "container "
			if store.Queue {
				what = "queue "
			}
			got = append(got, what+store.Name)
		}
		if text := strings.Join(got, ", "); text != row.stores {
			t.Errorf("%s, form %s uses %q; want %q", row.kind, row.form, text, row.stores)
		}
	}
}
