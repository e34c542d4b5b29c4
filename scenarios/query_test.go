package scenarios_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"loadgen/engine/entity"
	"loadgen/engine/filter"
	"loadgen/scenarios"
	"loadgen/scenarios/keys"
)

// offering is the race with one operation in place of its get.
func offering(operation string) string {
	return strings.Replace(race, "{verb: get, weight: 3}", operation, 1)
}

// What an operation leaves out has its default.
func TestOperationsAreReadAndWritten(t *testing.T) {
	const byRow = "RowKey eq '1' or RowKey eq '2'"
	written := []scenarios.PropertySpec{{Name: "A", Type: "String", Value: "x"}}
	for _, tt := range []struct {
		text string
		// want lacks what follows from the verb: the name, the weight of 1 and the group.
		want scenarios.OperationSpec
	}{
		{"verb: get", scenarios.OperationSpec{Verb: entity.Get}},
		{"verb: insert", scenarios.OperationSpec{Verb: entity.Insert}},
		{"verb: replace", scenarios.OperationSpec{Verb: entity.Replace}},
		{"verb: insert-or-replace", scenarios.OperationSpec{Verb: entity.InsertOrReplace}},
		{"verb: insert-or-merge, properties: [{name: A, value: x}]",
			scenarios.OperationSpec{Verb: entity.InsertOrMerge, Properties: written}},
		{"verb: delete", scenarios.OperationSpec{Verb: entity.Delete}},
		{"verb: batch", scenarios.OperationSpec{Verb: entity.Batch, Entities: 100, Change: entity.Insert}},
		{"verb: batch, change: replace, entities: 1", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Replace, Entities: 1}},
		{"verb: batch, change: delete", scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Delete, Entities: 100}},
		{"verb: batch, change: merge, properties: [{name: A, value: x}]",
			scenarios.OperationSpec{Verb: entity.Batch, Change: entity.Merge, Entities: 100, Properties: written}},
		{"verb: query", scenarios.OperationSpec{Class: scenarios.ClassRows, Rows: 100}},
		{"verb: query, class: rows", scenarios.OperationSpec{Class: scenarios.ClassRows, Rows: 100}},
		{"verb: query, class: point, select: [Age]", scenarios.OperationSpec{Class: scenarios.ClassPoint, Select: []string{"Age"}}},
		{"verb: query, rows: 7, from: from.Tllk.MQ, pages: 2", scenarios.OperationSpec{
			Class: scenarios.ClassRows, Rows: 7, From: scenarios.Resumption{Token: "from.Tllk.MQ"}, Pages: 2}},
		{"verb: query, class: partition-scan, where: 'Age gt {age}', top: 50",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionScan, Where: "Age gt {age}", Top: 50}},
		{"verb: query, class: partition-scan, where: \"" + byRow + "\"",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionScan, Where: byRow}},
		{"verb: query, class: partition-range", scenarios.OperationSpec{Class: scenarios.ClassPartitionRange, Partitions: 2}},
		{"verb: query, class: partition-range, partitions: 10",
			scenarios.OperationSpec{Class: scenarios.ClassPartitionRange, Partitions: 10}},
		{"verb: query, class: table-scan, where: \"RowKey eq '{bib}__{age}'\"",
			scenarios.OperationSpec{Class: scenarios.ClassTableScan, Where: "RowKey eq '{bib}__{age}'"}},
	} {
		got := reread(t, offering("{"+tt.text+"}")).Phases[1].Traffic.Operations[0]
		if tt.want.Class != "" {
			tt.want.Verb = entity.Query
		}
		tt.want.Name, tt.want.Weight, tt.want.Group = tt.want.Verb.String(), 1, scenarios.GroupPut
		if tt.want.Verb == entity.Get || tt.want.Verb == entity.Query {
			tt.want.Group = scenarios.GroupGet
		}
		assert.Emptyf(t, cmp.Diff(tt.want, got), "%s: the operation", tt.text)
		inserts := got.Verb == entity.Insert || got.Verb == entity.Batch && got.Change == entity.Insert
		assert.Equalf(t, inserts, got.Inserts(), "%s: Inserts()", tt.text)
	}
}

// A quote in a value stays within the text of the filter.
func TestAFilterTakesTheValuesOfAnEntity(t *testing.T) {
	where, err := keys.ParseTemplate("Name eq '{name}' and Age gt {age}")
	require.NoError(t, err)
	values := map[string]string{"name": "O'Neill", "age": "40"}
	got := new(scenarios.OperationSpec).Wanted(where, func(name string) string { return values[name] })
	assert.Equalf(t, "Name eq 'O''Neill' and Age gt 40", got, "Wanted(%s)", where)
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
