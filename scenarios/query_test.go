package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// offering is the race with one operation in place of its get.
func offering(operation string) string {
	return strings.Replace(race, "{verb: get, weight: 3}", operation, 1)
}

func TestQueriesAndTransactionsAreReadAndWritten(t *testing.T) {
	query := scenarios.OperationSpec{Name: "query", Verb: entity.Query, Weight: 1, Group: "GET"}
	batch := scenarios.OperationSpec{Name: "batch", Verb: entity.Batch, Weight: 1, Group: "PUT", Entities: 100}
	like := func(spec scenarios.OperationSpec, alter func(*scenarios.OperationSpec)) scenarios.OperationSpec {
		alter(&spec)
		return spec
	}
	for _, tt := range []struct {
		name, text string
		want       scenarios.OperationSpec
	}{
		{"a point query", "{verb: query, class: point, select: [Age]}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Select = scenarios.ClassPoint, []string{"Age"}
		})},
		{"rows, said so", "{verb: query, class: rows}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Rows = scenarios.ClassRows, 100
		})},
		{"rows from a token on", "{verb: query, rows: 7, from: from.Tllk.MQ, pages: 2}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Rows, o.From.Token, o.Pages = scenarios.ClassRows, 7, "from.Tllk.MQ", 2
		})},
		{"a partition scan with a filter", "{verb: query, class: partition-scan, where: 'Age gt {age}', top: 50}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where, o.Top = scenarios.ClassPartitionScan, "Age gt {age}", 50
		})},
		{"a partition range of two", "{verb: query, class: partition-range}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Partitions = scenarios.ClassPartitionRange, 2
		})},
		{"a partition range of more", "{verb: query, class: partition-range, partitions: 10}", like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Partitions = scenarios.ClassPartitionRange, 10
		})},
		{"a table scan for an exact RowKey", `{verb: query, class: table-scan, where: "RowKey eq '{bib}__{age}'"}`, like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where = scenarios.ClassTableScan, "RowKey eq '{bib}__{age}'"
		})},
		{"alternatives of RowKeys scan the partition", `{verb: query, class: partition-scan, where: "RowKey eq '1' or RowKey eq '2'"}`, like(query, func(o *scenarios.OperationSpec) {
			o.Class, o.Where = scenarios.ClassPartitionScan, "RowKey eq '1' or RowKey eq '2'"
		})},
		{"a transaction of replaces", "{verb: batch, change: replace, entities: 1}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change, o.Entities = entity.Replace, 1
		})},
		{"a transaction of deletes, over the bytes that no entity has", "{verb: batch, change: delete}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change = entity.Delete
		})},
		{"a transaction of merges", "{verb: batch, change: merge, properties: [{name: A, value: x}]}", like(batch, func(o *scenarios.OperationSpec) {
			o.Change, o.Properties = entity.Merge, []scenarios.PropertySpec{{Name: "A", Type: "String", Value: "x"}}
		})},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := reread(t, offering(tt.text))
			if diff := cmp.Diff(tt.want, s.Phases[1].Traffic.Operations[0]); diff != "" {
				t.Errorf("the operation differs (-want +got):\n%s", diff)
			}
		})
	}
}

// A quote in a value stays within the text of the filter.
func TestAFilterTakesTheValuesOfAnEntity(t *testing.T) {
	where, err := keys.ParseTemplate("Name eq '{name}' and Age gt {age}")
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{"name": "O'Neill", "age": "40"}
	got := new(scenarios.OperationSpec).Wanted(where, func(name string) string { return values[name] })
	if want := "Name eq 'O''Neill' and Age gt 40"; got != want {
		t.Errorf("Wanted(%s) = %s; want %s", where, got, want)
	}
	for _, row := range []struct{ name, within, where, want string }{
		{"both", "PartitionKey eq 'p'", "A eq 1 or B eq 2", "PartitionKey eq 'p' and (A eq 1 or B eq 2)"},
		{"the range alone", "PartitionKey eq 'p'", "", "PartitionKey eq 'p'"},
		{"the filter alone", "", "A eq 1", "A eq 1"},
		{"neither", "", "", ""},
	} {
		got := scenarios.Narrow(row.within, row.where)
		if _, code, detail := filter.Parse(got); got != row.want || code != entity.OK {
			t.Errorf("%s: Narrow(%q, %q) = %q (%s %s); want %q", row.name, row.within, row.where, got, code, detail, row.want)
		}
	}
}
